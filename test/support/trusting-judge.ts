import type { DecisionJudge } from '../../src/rules/access/decisions.ts';

/** Accepts every decision, for tests about something else and to show what a forged decision would do. */
export const trustingJudge: DecisionJudge = {
  judgeNew: async () => undefined,
  judgeRecorded: async () => undefined,
};
