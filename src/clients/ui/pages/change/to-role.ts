import type { Change } from '../../api/types.ts';

export type PlannedStep = Change['spec']['steps'][number];

/** Names who does a step, or when it does not always run. */
export function toRole(planned: PlannedStep | undefined): string {
  if (planned?.when) return 'if conflicted';
  if (planned?.type === 'agent') return planned.role;
  return planned?.type === 'human' ? 'a person' : '';
}
