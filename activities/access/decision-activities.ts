import type { DecisionJudge, DecisionProof, SignedDecision } from '../../src/rules/access/decisions.ts';

export type DecisionDeps = { decisions: DecisionJudge };
type VerifyDecisionInput = Omit<SignedDecision, 'at'> & { proof?: DecisionProof };

export const createDecisionActivities = ({ decisions }: DecisionDeps) => ({
  /** Returns why a decision that a workflow received was not made through the API; workflows hold no keys. */
  verifyDecision: async ({ proof, ...decision }: VerifyDecisionInput): Promise<{ refusal?: string }> => {
    const refusal = await decisions.judgeNew(proof, decision);
    return refusal === undefined ? {} : { refusal };
  },
});
