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

/** Lists the facts that are known. */
export const toFacts = (values: Record<string, string | number | undefined>): Fact[] =>
  Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value: String(value) }]));
