import type { Verdict } from './kinds.ts';

/** Enough to tell verdicts apart; the whole text is in the transcript, and in the step once it is recorded. */
const summaryCharacters = 200;

/** What a workflow decides on: it keeps what passes through it for ever. A person is asked in the agent's own words. */
export function briefVerdict(verdict: Verdict): Verdict {
  const { outcome, summary } = verdict;
  if (outcome === 'needs-guidance') return verdict;
  return { outcome, summary: summary.length > summaryCharacters ? `${summary.slice(0, summaryCharacters)}…` : summary };
}

export const isBriefOf = (brief: Verdict, whole: Verdict): boolean =>
  brief.outcome === whole.outcome && brief.summary === briefVerdict(whole).summary;
