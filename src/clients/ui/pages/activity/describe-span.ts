import type { Schemas } from '../../api/generated/openapi.ts';

export type Span = Schemas['ActivitySpan'];

const stages: Record<string, string> = {
  build: 'Build',
  tag: 'Tag',
  approval: 'Approval',
  deploy: 'Deploy',
  'smoke-check': 'Smoke check',
  held: 'Frozen',
};

export const toStageWords = (stage: string): string => stages[stage] ?? stage;

/** Names a step with its round, or a stage with its zone. */
export function describeSpan({ name, zone, round }: Span, kind: 'run' | 'release'): string {
  const words = kind === 'release' ? toStageWords(name) : name;
  if (zone !== undefined) return `${zone}: ${words.toLowerCase()}`;
  return round !== undefined && round > 1 ? `${words}, round ${round}` : words;
}
