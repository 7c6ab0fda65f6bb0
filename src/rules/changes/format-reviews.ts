import type { Verdict } from './kinds.ts';

/** `headSha` is the commit that the reviewer saw. */
type Review = { step: string; verdict: Verdict | undefined; headSha: string };

/** Formats the verdicts of a run's reviewers by the commit that they are about, and returns undefined when there are none. */
export function formatReviews(reviews: Review[]): string | undefined {
  const given = reviews.flatMap(({ verdict, ...review }) => (verdict ? [{ ...review, ...verdict }] : []));
  if (given.length === 0) return undefined;
  const byCommit = Map.groupBy(given, ({ headSha }) => headSha);
  const texts = [...byCommit].flatMap(([headSha, ofCommit]) => [
    `Reviews of ${headSha}`,
    ...ofCommit.map(({ step, outcome, summary }) => `**${step}**: ${outcome}\n\n${summary}`),
  ]);
  return texts.join('\n\n');
}
