import { expect, it } from 'vitest';
import { createDecisionActivities } from '../../../activities/access/decision-activities.ts';
import { createDecisionJudge, createDecisionSigner } from '../../../src/main/wiring/decision-keys.ts';
import { openTestStore } from '../../support/open-test-store.ts';

it('tells a workflow why a decision is refused', async () => {
  const store = openTestStore();
  const now = (): Date => new Date();
  const decision = {
    action: 'freezeZone' as const,
    scope: { org: 'acme', product: 'hello', zone: 'hello-prod' },
    decision: { by: 'ada@example.com', reason: 'Sale.' },
  };
  const sign = await createDecisionSigner(store, now);
  const { verifyDecision } = createDecisionActivities({ decisions: createDecisionJudge(store, now) });
  expect(await verifyDecision({ ...decision, proof: sign(decision) })).toEqual({});
  expect(await verifyDecision(decision)).toEqual({ refusal: 'it has no valid signature' });
});
