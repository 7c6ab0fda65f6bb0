import type { Verdict } from './kinds.ts';

type Review = { step: string; verdict: Verdict | undefined };

/** Formats the verdicts of a run's reviewers, and returns undefined when there are none. */
export function formatReviews(reviews: Review[], headSha: string): string | undefined {
  const given = reviews.flatMap(({ step, verdict }) => (verdict ? [{ step, ...verdict }] : []));
  if (given.length === 0) return undefined;
  const texts = given.map(({ step, outcome, summary }) => `**${step}**: ${outcome}\n\n${summary}`);
  return [`Reviews of ${headSha}`, ...texts].join('\n\n');
}
