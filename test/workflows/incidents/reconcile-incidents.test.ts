import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import type { Activities } from '../../../activities/index.ts';
import { alertRulesChangedSignal, reconcileIncidentsStart } from '../../../workflows/incidents/messages.ts';
import { startShortHistoryServer } from '../../support/workflows/start-short-history-server.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';

/** Activities of an org in which one more alert is missing at each check. */
function createActivities() {
  const state = { isNeeded: true, checks: [] as string[][], routes: [] as boolean[] };
  const activities = {
    checkIncidents: async ({ missing }) => {
      state.checks.push(missing);
      return { missing: [`incident-${state.checks.length}`], isNeeded: state.isNeeded };
    },
    applyAlertRoute: async ({ isNeeded }) => void state.routes.push(isNeeded),
  } satisfies Partial<Activities>;
  return { state, activities };
}

const newOrg = (): string => `org-${randomUUID().slice(0, 8)}`;

describeWithTemporal('reconcileIncidents', () => {
  it('removes the route and ends when the org has no SLOs and no alert fires', async () => {
    const { state, activities } = createActivities();
    state.isNeeded = false;
    await withWorkflowHarness(activities, async ({ start }) => {
      await (await start(reconcileIncidentsStart({ org: newOrg() }))).result();
      expect(state).toMatchObject({ checks: [[]], routes: [false] });
    });
  });

  it('checks at intervals, and passes on what was missing at the check before', async () => {
    const { state, activities } = createActivities();
    await withWorkflowHarness(activities, async ({ start }) => {
      const loop = await start(reconcileIncidentsStart({ org: newOrg(), intervalMs: 1 }));
      await eventually(() => state.checks.length).toBeGreaterThanOrEqual(3);
      state.isNeeded = false;
      await loop.result();
      expect(state.checks.slice(0, 3)).toEqual([[], ['incident-1'], ['incident-2']]);
      expect(state.routes.at(-1)).toBe(false);
    });
  });

  it('goes on after the cluster has refused its activities', async () => {
    const { state, activities } = createActivities();
    const refused = new Set<string>();
    const refuseOnce = (name: string): void => {
      if (refused.has(name)) return;
      refused.add(name);
      throw ApplicationFailure.nonRetryable('A policy refuses it.');
    };
    const refusing: Partial<Activities> = {
      checkIncidents: async (input) => (refuseOnce('check'), await activities.checkIncidents(input)),
      applyAlertRoute: async (input) => (refuseOnce('route'), await activities.applyAlertRoute(input)),
    };
    state.isNeeded = false;
    await withWorkflowHarness(refusing, async ({ start }) => {
      await (await start(reconcileIncidentsStart({ org: newOrg(), intervalMs: 1 }))).result();
      expect(state).toMatchObject({ checks: [[], ['incident-1']], routes: [false] });
    });
  });

  it('checks at once after a change of the SLOs', async () => {
    const { state, activities } = createActivities();
    await withWorkflowHarness(activities, async ({ start }) => {
      const loop = await start(reconcileIncidentsStart({ org: newOrg(), intervalMs: 3_600_000 }));
      await eventually(() => state.routes.length).toBe(1);
      state.isNeeded = false;
      await loop.signal(alertRulesChangedSignal);
      await loop.result();
      expect(state.routes).toEqual([true, false]);
    });
  });

  it('checks once more when the SLOs change during its last check', async () => {
    const { state, activities } = createActivities();
    state.isNeeded = false;
    const writing = Promise.withResolvers<void>();
    const applyAlertRoute = async ({ isNeeded }: { isNeeded: boolean }): Promise<void> => {
      state.routes.push(isNeeded);
      await writing.promise;
    };
    await withWorkflowHarness({ ...activities, applyAlertRoute }, async ({ start }) => {
      const loop = await start(reconcileIncidentsStart({ org: newOrg(), intervalMs: 3_600_000 }));
      await eventually(() => state.routes.length).toBe(1);
      await loop.signal(alertRulesChangedSignal);
      writing.resolve();
      await loop.result();
      expect(state.routes).toEqual([false, false]);
    });
  });

  it('keeps what was missing and the interval when it continues as new', async () => {
    const { state, activities } = createActivities();
    const address = await startShortHistoryServer(25);
    await withWorkflowHarness(
      activities,
      async ({ client, start }) => {
        const loop = await start(reconcileIncidentsStart({ org: newOrg(), intervalMs: 1 }));
        const latest = client.workflow.getHandle(loop.workflowId);
        await eventually(async () => (await latest.describe()).runId).not.toBe(loop.firstExecutionRunId);
        const checksBefore = state.checks.length;
        await eventually(() => state.checks.length).toBeGreaterThan(checksBefore + 1);
        state.isNeeded = false;
        await loop.result();
        expect(state.checks).toEqual(state.checks.map((_, index) => (index === 0 ? [] : [`incident-${index}`])));
      },
      address,
    );
  });
});
