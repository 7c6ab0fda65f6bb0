import type { WorkflowHandle } from '@temporalio/client';
import { expect, it } from 'vitest';
import type { Activities } from '../../../activities/index.ts';
import type { CodehostEvent } from '../../../src/rules/intake/events.ts';
import { reconcileDeliveriesStart } from '../../../workflows/intake/messages.ts';
import { listPausesMs } from '../../support/workflows/list-pauses.ts';
import { startShortHistoryServer } from '../../support/workflows/start-short-history-server.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';

const opened = (number: number): CodehostEvent => ({
  event: 'issues',
  action: 'opened',
  repo: 'acme/hello',
  number,
  labels: [],
  at: `2026-01-01T12:00:0${number}.000Z`,
  senderIsBot: false,
  isPullRequest: false,
});
const secondsLater = (time: string, seconds: number): string =>
  new Date(Date.parse(time) + seconds * 1000).toISOString();
const intervals = { pollIntervalMs: 20, gracePeriodMs: 20, retryDelayMs: 1 };

/** Returns the seconds that an attempt of each activity may take. */
async function listTimeouts(handle: WorkflowHandle): Promise<Record<string, number>> {
  const { events } = await handle.fetchHistory();
  const scheduled = (events ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes ?? []);
  return Object.fromEntries(
    scheduled.map(({ activityType, startToCloseTimeout }) => [
      activityType?.name,
      Number(startToCloseTimeout?.seconds),
    ]),
  );
}

describeWithTemporal('reconcileDeliveries', () => {
  it('routes a missed event once, and skips an event whose delivery arrived meanwhile', async () => {
    let polls = 0;
    const activities: Partial<Activities> = {
      redeliverFailedDeliveries: async () => (polls += 1) < 5,
      findMissedEvents: async () => ({ events: [opened(1), opened(2)] }),
      recheckMissedEvents: async ({ events }) => events.filter(({ number }) => number !== 2),
      matchDelivery: async () => [],
    };
    await withWorkflowHarness(activities, async (harness) => {
      const input = { org: harness.taskQueue, since: '2026-01-01T00:00:00.000Z', intervals };
      await (await harness.start(reconcileDeliveriesStart(input))).result();
      await eventually(() => harness.callInputs('matchDelivery')).toHaveLength(1);
      expect(harness.callInputs('matchDelivery')).toMatchObject([{ facts: { number: 1 } }]);
      expect(harness.callInputs('recheckMissedEvents')).toHaveLength(4);
    });
  });

  it('continues from the last poll, and polls again immediately while more events are left', async () => {
    let polls = 0;
    const until = '2026-01-01T12:00:01.000Z';
    const activities: Partial<Activities> = {
      redeliverFailedDeliveries: async () => (polls += 1) < 4,
      findMissedEvents: async () => (polls === 1 ? { events: [opened(1)], until } : { events: [] }),
      recheckMissedEvents: async () => [],
    };
    await withWorkflowHarness(activities, async (harness) => {
      const input = { org: harness.taskQueue, since: '2026-01-01T00:00:00.000Z', intervals };
      const startedAt = new Date().toISOString();
      await (await harness.start(reconcileDeliveriesStart(input))).result();
      const [first, second, third = ''] = harness.callInputs('findMissedEvents').map(({ since }) => since);
      expect([first, second]).toEqual([input.since, until]);
      expect(Date.parse(third)).toBeGreaterThan(Date.parse(startedAt) - 60_000);
    });
  });

  it('does not go back, and waits for the next poll, when old events are found again', async () => {
    let polls = 0;
    const since = '2026-01-01T12:00:00.000Z';
    const activities: Partial<Activities> = {
      redeliverFailedDeliveries: async () => (polls += 1) < 4,
      findMissedEvents: async () => ({ events: [], until: polls === 1 ? '2026-01-01T11:59:59Z' : since }),
    };
    await withWorkflowHarness(activities, async (harness) => {
      const pauses = { ...intervals, pollIntervalMs: 30 };
      await (
        await harness.start(reconcileDeliveriesStart({ org: harness.taskQueue, since, intervals: pauses }))
      ).result();
      expect(await listPausesMs(harness)).toEqual([30, 30, 30]);
      expect(harness.callInputs('findMissedEvents').map((input) => input.since)).toEqual([since, since, since]);
    });
  });

  it('waits for deliveries in flight, then for the next poll, and begins with the time of its start', async () => {
    let polls = 0;
    const activities: Partial<Activities> = {
      redeliverFailedDeliveries: async () => (polls += 1) < 3,
      findMissedEvents: async () => ({ events: polls === 1 ? [opened(1)] : [] }),
      recheckMissedEvents: async () => [],
    };
    await withWorkflowHarness(activities, async (harness) => {
      const pauses = { pollIntervalMs: 20, gracePeriodMs: 30, retryDelayMs: 1 };
      const handle = await harness.start(reconcileDeliveriesStart({ org: harness.taskQueue, intervals: pauses }));
      await handle.result();
      expect(await listTimeouts(handle)).toMatchObject({ redeliverFailedDeliveries: 600, findMissedEvents: 600 });
      expect(await listPausesMs(harness)).toEqual([30, 20, 20]);
      const { startTime } = await handle.describe();
      expect(harness.callInputs('findMissedEvents')[0]?.since).toBe(startTime.toISOString());
    });
  });

  it('continues from the last poll when it continues as new', async () => {
    let isConnected = true;
    const activities: Partial<Activities> = {
      redeliverFailedDeliveries: async () => isConnected,
      findMissedEvents: async ({ since }) => ({ events: [], until: secondsLater(since, 1) }),
    };
    const address = await startShortHistoryServer(25);
    await withWorkflowHarness(
      activities,
      async (harness) => {
        const input = { org: harness.taskQueue, since: '2026-01-01T00:00:00.000Z', intervals };
        const handle = await harness.start(reconcileDeliveriesStart(input));
        const latest = harness.client.workflow.getHandle(handle.workflowId);
        await eventually(async () => (await latest.describe()).runId).not.toBe(handle.firstExecutionRunId);
        const before = harness.callInputs('findMissedEvents').length;
        await eventually(() => harness.callInputs('findMissedEvents').length).toBeGreaterThan(before);
        isConnected = false;
        await handle.result();
        const polled = harness.callInputs('findMissedEvents').map(({ since }) => since);
        expect(polled).toEqual(polled.map((_, index) => secondsLater(input.since, index)));
      },
      address,
    );
  });
});
