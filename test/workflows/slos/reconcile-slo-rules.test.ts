import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import type { Activities } from '../../../activities/index.ts';
import { reconcileSloRulesStart, slosChangedSignal } from '../../../workflows/slos/messages.ts';
import { listPausesMs } from '../../support/workflows/list-pauses.ts';
import { startShortHistoryServer } from '../../support/workflows/start-short-history-server.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';

const hourMs = 3_600_000;

/** Activities of an org with one SLO, whose rules Prometheus has loaded at the checks for which the function says so. */
function createActivities(isSettledAt: (check: number) => boolean = () => true) {
  const state = { slos: 1, applied: 0, checked: 0 };
  const activities: Partial<Activities> = {
    applySloRules: async () => {
      state.applied += 1;
      return { slos: state.slos, hasOperator: true };
    },
    checkSloRules: async () => ({ isSettled: isSettledAt((state.checked += 1)) }),
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

  it.each(['applySloRules', 'checkSloRules'] as const)('goes on when %s is refused for a while', async (name) => {
    const { state, activities } = createActivities();
    state.slos = 0;
    let refusals = 0;
    const refuseOnce = (): void => {
      refusals += 1;
      if (refusals === 1) throw ApplicationFailure.nonRetryable('A policy refuses it.');
    };
    const refused = activities[name] as (input: object) => Promise<never>;
    const refusing = { ...activities, [name]: async (input: object) => (refuseOnce(), await refused(input)) };
    await withWorkflowHarness(refusing, async ({ start }) => {
      const intervals = { recheckMs: 1, settledMs: hourMs };
      await (await start(reconcileSloRulesStart({ org: `org-${randomUUID().slice(0, 8)}`, intervals }))).result();
      expect([refusals, state.checked]).toEqual([2, 1]);
    });
  });

  it('writes once more when the SLOs change during its last check', async () => {
    const { state, activities } = createActivities();
    state.slos = 0;
    const checking = Promise.withResolvers<void>();
    const checkSloRules = async () => {
      state.checked += 1;
      await checking.promise;
      return { isSettled: true };
    };
    await withWorkflowHarness({ ...activities, checkSloRules }, async ({ start }) => {
      const loop = await start(reconcileSloRulesStart({ org: `org-${randomUUID().slice(0, 8)}` }));
      await eventually(() => state.checked).toBe(1);
      await loop.signal(slosChangedSignal);
      checking.resolve();
      await loop.result();
      expect(state.applied).toBe(2);
    });
  });

  it('asks again soon until Prometheus has loaded the rules', async () => {
    const { state, activities } = createActivities((check) => check > 2);
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

  it('pauses twice as long after each check that finds rules missing, and begins again after one that does not', async () => {
    const { activities } = createActivities((check) => check === 4 || check > 5);
    await withWorkflowHarness(activities, async (harness) => {
      const intervals = { recheckMs: 10, settledMs: 50 };
      await harness.start(reconcileSloRulesStart({ org: `org-${randomUUID().slice(0, 8)}`, intervals }));
      await eventually(async () => (await listPausesMs(harness)).slice(0, 6)).toEqual([10, 20, 40, 50, 10, 50]);
    });
  });

  it('begins with the shortest pause again after a change', async () => {
    const { activities } = createActivities(() => false);
    await withWorkflowHarness(activities, async (harness) => {
      const intervals = { recheckMs: hourMs, settledMs: 10 * hourMs };
      const org = `org-${randomUUID().slice(0, 8)}`;
      const loop = await harness.start(reconcileSloRulesStart({ org, intervals, pendingChecks: 2 }));
      await eventually(async () => await listPausesMs(harness)).toEqual([4 * hourMs]);
      await loop.signal(slosChangedSignal);
      await eventually(async () => await listPausesMs(harness)).toEqual([4 * hourMs, hourMs]);
    });
  });

  it('never pauses longer than after a settled check', async () => {
    const { activities } = createActivities(() => false);
    await withWorkflowHarness(activities, async (harness) => {
      const intervals = { recheckMs: hourMs, settledMs: 5 * hourMs };
      const org = `org-${randomUUID().slice(0, 8)}`;
      await harness.start(reconcileSloRulesStart({ org, intervals, pendingChecks: 1_000 }));
      await eventually(async () => await listPausesMs(harness)).toEqual([5 * hourMs]);
    });
  });

  it('counts on when it continues as new', async () => {
    const { state, activities } = createActivities((check) => check > 4);
    const address = await startShortHistoryServer(25);
    await withWorkflowHarness(
      activities,
      async (harness) => {
        const intervals = { recheckMs: 10, settledMs: hourMs };
        const loop = await harness.start(reconcileSloRulesStart({ org: `org-${randomUUID().slice(0, 8)}`, intervals }));
        await eventually(async () => await listPausesMs(harness)).toEqual([10, 20, 40, 80, hourMs]);
        const latest = harness.client.workflow.getHandle(loop.workflowId);
        expect((await latest.describe()).runId).not.toBe(loop.firstExecutionRunId);
        state.slos = 0;
        await latest.signal(slosChangedSignal);
        await loop.result();
      },
      address,
    );
  });
});
