import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Activities } from '../../../activities/index.ts';
import { reconcileSloRulesStart, slosChangedSignal } from '../../../workflows/slos/messages.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';

/** Activities of an org with the given number of SLOs, whose rules Prometheus has loaded from the given check on. */
function createActivities({ settledFrom = 0 } = {}) {
  const state = { slos: 1, applied: 0, checked: 0 };
  const activities: Partial<Activities> = {
    applySloRules: async () => {
      state.applied += 1;
      return { slos: state.slos, hasOperator: true };
    },
    checkSloRules: async () => ({ isSettled: (state.checked += 1) > settledFrom }),
  };
  return { state, activities };
}

describeWithTemporal('reconcileSloRules', () => {
  it('ends when the org has no SLOs', async () => {
    const { state, activities } = createActivities();
    state.slos = 0;
    await withWorkflowHarness(activities, async ({ start }) => {
      await (await start(reconcileSloRulesStart({ org: `org-${randomUUID().slice(0, 8)}` }))).result();
      expect(state).toMatchObject({ applied: 1, checked: 1 });
    });
  });

  it('writes again at once after a change, and then ends', async () => {
    const { state, activities } = createActivities();
    await withWorkflowHarness(activities, async ({ start }) => {
      const loop = await start(reconcileSloRulesStart({ org: `org-${randomUUID().slice(0, 8)}` }));
      await eventually(() => state.checked).toBe(1);
      state.slos = 0;
      await loop.signal(slosChangedSignal);
      await loop.result();
      expect(state.applied).toBe(2);
    });
  });

  it('asks again soon until Prometheus has loaded the rules', async () => {
    const { state, activities } = createActivities({ settledFrom: 2 });
    await withWorkflowHarness(activities, async ({ start }) => {
      const intervals = { recheckMs: 1, settledMs: 3_600_000 };
      const loop = await start(reconcileSloRulesStart({ org: `org-${randomUUID().slice(0, 8)}`, intervals }));
      await eventually(() => state.checked).toBe(3);
      state.slos = 0;
      await loop.signal(slosChangedSignal);
      await loop.result();
      expect(state.checked).toBe(4);
    });
  });
});
