import type { Verdict } from '../changes/kinds.ts';
import type { AgentStep } from './kinds.ts';

/** Says why a verdict does not judge its step's criteria one by one; an agent cannot pass what it says is not met. */
export function criteriaProblem({ criteria = [] }: Pick<AgentStep, 'criteria'>, verdict: Verdict): string | undefined {
  if (verdict.outcome === 'needs-guidance') return undefined;
  const judged = verdict.criteria ?? [];
  const counts = criteria.map((criterion) => judged.filter((one) => one.criterion === criterion).length);
  const missing = criteria.filter((_, at) => counts[at] === 0);
  if (missing.length > 0)
    return `These criteria are not judged: ${listed(missing)}. Judge each, word for word, in "criteria".`;
  const twice = criteria.filter((_, at) => (counts[at] ?? 0) > 1);
  if (twice.length > 0) return `These criteria are judged more than once: ${listed(twice)}. Judge each once.`;
  const unmet = judged.filter(({ met }) => !met).map(({ criterion }) => criterion);
  if (unmet.length === 0 || verdict.outcome === 'changes-requested') return undefined;
  return `"${verdict.outcome}" takes that all criteria are met, and these are not: ${listed(unmet)}. Meet them, or end with another outcome.`;
}

const listed = (criteria: string[]): string => criteria.map((criterion) => `"${criterion}"`).join(', ');
