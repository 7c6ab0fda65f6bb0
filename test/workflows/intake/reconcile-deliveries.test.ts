import { expect, it } from 'vitest';
import type { Activities } from '../../../activities/index.ts';
import type { SourceEvent } from '../../../src/rules/intake/events.ts';
import { reconcileDeliveriesStart } from '../../../workflows/intake/messages.ts';
import { eventually, onTemporal } from '../../support/on-temporal.ts';
import { describeWithTemporal } from '../../support/temporal-client.ts';

const opened = (number: number): SourceEvent => ({
  event: 'issues',
  action: 'opened',
  repo: 'acme/hello',
  number,
  labels: [],
  at: `2026-01-01T12:00:0${number}.000Z`,
  senderIsBot: false,
  isPullRequest: false,
});
const pace = { everyMs: 20, settleMs: 20, againMs: 1 };

describeWithTemporal('reconcileDeliveries', () => {
  it('routes once what nobody told of, and leaves what came meanwhile', async () => {
    let looks = 0;
    const activities: Partial<Activities> = {
      redeliverFailed: async () => (looks += 1) < 5,
      findUnrouted: async () => ({ events: [opened(1), opened(2)] }),
      stillUnrouted: async ({ events }) => events.filter(({ number }) => number !== 2),
      matchDelivery: async () => [],
    };
    await onTemporal(activities, async (world) => {
      const input = { org: world.taskQueue, since: '2026-01-01T00:00:00.000Z', pace };
      const { workflowId } = reconcileDeliveriesStart(input);
      await (await world.start('reconcileDeliveries', input, { workflowId })).result();
      await eventually(() => world.calls('matchDelivery')).toHaveLength(1);
      expect(world.calls('matchDelivery')).toMatchObject([{ facts: { number: 1 } }]);
      expect(world.calls('stillUnrouted')).toHaveLength(4);
    });
  });

  it('looks on from where it looked last, and at once where there was more than one look can take', async () => {
    let looks = 0;
    const until = '2026-01-01T12:00:01.000Z';
    const activities: Partial<Activities> = {
      redeliverFailed: async () => (looks += 1) < 4,
      findUnrouted: async () => (looks === 1 ? { events: [opened(1)], until } : { events: [] }),
      stillUnrouted: async () => [],
    };
    await onTemporal(activities, async (world) => {
      const input = { org: world.taskQueue, since: '2026-01-01T00:00:00.000Z', pace };
      const { workflowId } = reconcileDeliveriesStart(input);
      const startedAt = new Date().toISOString();
      await (await world.start('reconcileDeliveries', input, { workflowId })).result();
      const [first, second, third = ''] = world.calls('findUnrouted').map(({ since }) => since);
      expect([first, second]).toEqual([input.since, until]);
      expect(Date.parse(third)).toBeGreaterThan(Date.parse(startedAt) - 60_000);
    });
  });
});
