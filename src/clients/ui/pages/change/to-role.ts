import type { Change } from '../../api/types.ts';

/** Names who does a step, or when it does not always run. */
export function toRole(planned: Change['spec']['steps'][number] | undefined): string {
  if (planned?.when) return 'if conflicted';
  if (planned?.type === 'agent') return planned.role;
  return planned?.type === 'human' ? 'a person' : '';
}
