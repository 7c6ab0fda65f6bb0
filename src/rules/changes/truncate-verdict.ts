import type { Verdict } from './kinds.ts';

/** Long enough to distinguish verdicts; the transcript and the status of the step hold the whole text. */
const summaryCharactersMax = 200;

/** Truncates the summary, because workflow history keeps it forever. A question to a person stays complete. */
export function truncateVerdict(verdict: Verdict): Verdict {
  const { outcome, summary } = verdict;
  if (outcome === 'needs-guidance') return verdict;
  return {
    outcome,
    summary: summary.length > summaryCharactersMax ? `${summary.slice(0, summaryCharactersMax)}…` : summary,
  };
}

export const matchesTruncated = (truncated: Verdict, full: Verdict): boolean =>
  truncated.outcome === full.outcome && truncated.summary === truncateVerdict(full).summary;
