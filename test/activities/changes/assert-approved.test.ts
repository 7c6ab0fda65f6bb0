import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { assertApproved } from '../../../activities/changes/assert-approved.ts';
import { type DecisionAction, readProof, signDecision } from '../../../src/rules/access/decisions.ts';
import type { AgentWorkflowRun } from '../../../src/rules/changes/kinds.ts';
import { trustingJudge } from '../../support/trusting-judge.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const at = '2026-11-22T10:00:00.000Z';
const judge: Parameters<typeof assertApproved>[0] = {
  judgeRecorded: async (proof, isExpected) => {
    const signed = readProof(publicKey, proof);
    return signed && isExpected(signed) ? undefined : 'it has no valid signature';
  },
};

type Signing = { action?: DecisionAction; org?: string; run?: string; step?: string; key?: typeof privateKey };
const sign = ({
  action = 'approveStep',
  org = 'acme',
  run = 'run-1',
  step = 'approve',
  key = privateKey,
}: Signing = {}) =>
  signDecision(key, { action, scope: { org, run }, decision: { run, step, by: 'bob', role: 'member' }, at });

/** Builds a run whose human step shows a decision; `approve-docs` comes after the merge. */
function buildRun(proof?: string): Pick<AgentWorkflowRun, 'metadata' | 'spec' | 'status'> {
  const decision = { by: 'root@example.com', role: 'org-admin', outcome: 'approved' as const, at };
  return {
    metadata: { name: 'run-1', namespace: 'org-acme' } as AgentWorkflowRun['metadata'],
    spec: {
      agentWorkflow: 'change',
      product: 'hello',
      startedBy: 'ada',
      roles: {},
      steps: [
        { name: 'implement', type: 'agent', role: 'implementer', mode: 'change' },
        { name: 'approve', type: 'human' },
        { name: 'merge', type: 'merge' },
        { name: 'approve-docs', type: 'human' },
      ],
    },
    status: {
      phase: 'Running',
      steps: [{ name: 'approve', phase: 'Succeeded', decision: { ...decision, ...(proof && { proof }) } }],
    },
  };
}

describe('assertApproved', () => {
  it('accepts a run whose human steps before the merge were approved through the API', async () => {
    await expect(assertApproved(judge, 'acme', buildRun(sign()))).resolves.toBeUndefined();
  });

  it.each([
    ['no signature', undefined],
    ['a forged signature', sign({ key: generateKeyPairSync('ed25519').privateKey })],
    ['a rejection', sign({ action: 'rejectStep' })],
    ['an approval in another org', sign({ org: 'evil' })],
    ['an approval of another run', sign({ run: 'run-2' })],
    ['an approval of another step', sign({ step: 'approve-docs' })],
  ])('refuses a merge with %s, although the run shows an approval by root', async (_case, proof) => {
    await expect(assertApproved(judge, 'acme', buildRun(proof))).rejects.toMatchObject({ reason: 'decision-refused' });
    // The attack succeeds without the defence.
    await expect(assertApproved(trustingJudge, 'acme', buildRun(proof))).resolves.toBeUndefined();
  });

  it.each([
    ['a human step comes first', ['human', 'merge'], 'The step "step-0" of run "run-1" was not approved'],
    ['it merges first', ['merge', 'human'], 'accepted'],
    ['it merges nothing', ['agent', 'human'], 'accepted'],
    ['it merges nothing and a human step comes first', ['human', 'agent'], 'accepted'],
  ] as const)('requires an approval of the steps before the merge: %s', async (_case, types, outcome) => {
    const { metadata, spec } = buildRun();
    const steps = types.map((type, at) => ({ name: `step-${at}`, type })) as typeof spec.steps;
    const asserting = assertApproved(judge, 'acme', { metadata, spec: { ...spec, steps } });
    const found = await asserting.then(
      () => 'accepted',
      (error: Error) => error.message,
    );
    expect(found).toContain(outcome);
  });
});
