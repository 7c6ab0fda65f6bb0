import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { DecisionAction, DecisionProof, DecisionScope } from '../src/rules/access/decisions.ts';
import type { RefusedDecision } from '../src/rules/access/refused-decision.ts';
import { externalApiOptions } from './activity-options.ts';
import { conflictFailure } from './failures.ts';
import { timestamp } from './timestamp.ts';

const { verifyDecision } = proxyActivities<Activities>(externalApiOptions);

export type AssertAuthentic = (
  action: DecisionAction,
  decision: { by: string },
  proof: DecisionProof | undefined,
) => Promise<void>;

/**
 * Returns the check that a decision was made through the API, which signs what it authorized: a message alone proves
 * nothing, because whatever reaches the Temporal server can send one. A refused decision is recorded.
 */
export function createDecisionGuard(
  scope: DecisionScope,
  recordRefusal: (refused: RefusedDecision) => Promise<void>,
): AssertAuthentic {
  const used = new Set<DecisionProof>();
  return async (action, decision, proof) => {
    const isRepeated = proof !== undefined && used.has(proof);
    if (proof !== undefined) used.add(proof);
    const { refusal } = isRepeated
      ? { refusal: 'its signature was already used' }
      : await verifyDecision({ action, scope, decision, ...(proof === undefined ? {} : { proof }) });
    if (refusal === undefined) return;
    await recordRefusal({ action, by: decision.by, at: timestamp(), reason: refusal });
    throw conflictFailure(
      'decision-refused',
      `The decision "${action}" was refused, because ${refusal}. Decide again through the API.`,
    );
  };
}

/** The fields of a recorded decision that its proof adds. */
export const toRecordedProof = (proof: DecisionProof | undefined): { proof?: DecisionProof } =>
  proof === undefined ? {} : { proof };
