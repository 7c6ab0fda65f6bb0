import type { Failure } from '../changes/kinds.ts';

export const explanationStates = ['done', 'running', 'waiting', 'failed', 'nothing'] as const;

export type Fact = { name: string; value: string };

/** Why something did or did not happen: the rule that decided it, the facts that it judged, and how to change it. */
export type Explanation = {
  state: (typeof explanationStates)[number];
  rule: string;
  message: string;
  facts: Fact[];
  fix?: string;
};

/** Explains a failure as the resource reports it, after the facts of its subject. */
export const toFailedExplanation = ({ reason, message, resource, fix, at }: Failure, facts: Fact[]): Explanation => ({
  state: 'failed',
  rule: reason,
  message,
  facts: [...facts, ...toFacts({ resource, at })],
  fix,
});

/** Lists the facts that are known. */
export const toFacts = (values: Record<string, string | number | undefined>): Fact[] =>
  Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value: String(value) }]));
