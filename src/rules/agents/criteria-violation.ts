import type { Verdict } from '../changes/kinds.ts';
import type { AgentStep } from './kinds.ts';

/** Returns why a verdict does not judge each criterion of its step once, or passes although a criterion is not met. */
export function criteriaViolation(
  { criteria = [] }: Pick<AgentStep, 'criteria'>,
  verdict: Verdict,
): string | undefined {
  if (verdict.outcome === 'needs-guidance') return undefined;
  const judged = verdict.criteria ?? [];
  const count = (criterion: string): number => judged.filter((one) => one.criterion === criterion).length;
  const missing = criteria.filter((criterion) => count(criterion) === 0);
  if (missing.length > 0)
    return `These criteria are not judged: ${quoteAll(missing)}. Judge each, word for word, in "criteria".`;
  const duplicates = criteria.filter((criterion) => count(criterion) > 1);
  if (duplicates.length > 0)
    return `These criteria are judged more than once: ${quoteAll(duplicates)}. Judge each once.`;
  const unmet = judged.filter(({ met }) => !met).map(({ criterion }) => criterion);
  if (unmet.length === 0 || verdict.outcome === 'changes-requested') return undefined;
  return `"${verdict.outcome}" requires that all criteria are met, but these are not: ${quoteAll(unmet)}. Meet them, or finish with another outcome.`;
}

const quoteAll = (criteria: string[]): string => criteria.map((criterion) => `"${criterion}"`).join(', ');
