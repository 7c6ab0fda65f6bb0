import { ServiceError } from '../../src/errors.ts';
import type { DecisionJudge, SignedDecision } from '../../src/rules/access/decisions.ts';
import type { AgentWorkflowRun } from '../../src/rules/changes/kinds.ts';

/**
 * Throws unless people approved every human step before the merge, as the proofs on the run show. The workflow has
 * checked each decision already; this protects the code when something other than our workflow asks for the merge.
 */
export async function assertApproved(
  decisions: Pick<DecisionJudge, 'judgeRecorded'>,
  org: string,
  { metadata, spec, status }: Pick<AgentWorkflowRun, 'metadata' | 'spec' | 'status'>,
): Promise<void> {
  const run = metadata.name;
  const mergeAt = spec.steps.findIndex(({ type }) => type === 'merge');
  const humanSteps = spec.steps.slice(0, Math.max(mergeAt, 0)).filter(({ type }) => type === 'human');
  for (const { name: step } of humanSteps) {
    const decision = status?.steps.find(({ name }) => name === step)?.decision;
    const refusal = await decisions.judgeRecorded(decision?.proof, (signed) => approves(signed, { org, run, step }));
    if (refusal === undefined) continue;
    throw new ServiceError(
      'decision-refused',
      `The step "${step}" of run "${run}" was not approved through the API: ${refusal}. Start a new run.`,
    );
  }
}

function approves(
  { action, scope, decision }: SignedDecision,
  { org, run, step }: { org: string; run: string; step: string },
): boolean {
  const isScope = scope.org === org && scope.run === run;
  return action === 'approveStep' && isScope && (decision as { step?: string }).step === step;
}
