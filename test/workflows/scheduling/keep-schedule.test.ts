import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { next, scheduleChanged } from '../../../workflows/scheduling/messages.ts';
import { ASchedule } from '../../support/a-schedule.ts';
import { eventually, onTemporal } from '../../support/on-temporal.ts';
import { describeWithTemporal } from '../../support/temporal-client.ts';
import type { WorkflowWorld } from '../../support/workflow-world.ts';

const created = '2026-01-05T08:00:00Z';
const daily = '0 9 * * *';

type Given = { crons?: string[]; products?: string[]; createdAt?: string };

/** A test over a schedule of its own, whose histories must replay once nothing is under way any more. */
async function withSchedule(
  { crons = [daily], products, createdAt = created }: Given,
  test: (schedule: ASchedule, world: WorkflowWorld) => Promise<void>,
): Promise<void> {
  const schedule = await new ASchedule(`org-${randomUUID().slice(0, 8)}`, createdAt).create(crons, products);
  await onTemporal(schedule.activities, async (world) => {
    await test(schedule, world);
    await schedule.rest(world);
  });
  await schedule.close();
}

const shown = (schedule: ASchedule) => eventually(async () => await schedule.status());

describeWithTemporal('keepSchedule', () => {
  it('starts one run for each Product with a repo at each time that comes due', async () => {
    await withSchedule({ products: ['web', 'api'] }, async (schedule, world) => {
      await schedule.addProduct('empty', []);
      await schedule.turn(true);
      const loop = await schedule.start(world);
      await shown(schedule).toEqual({ schedule: '0 9 * * * (UTC)', nextScheduledAt: '2026-01-05T09:00:00.000Z' });
      expect(schedule.runs).toEqual([]);
      await schedule.at('2026-01-05T09:00Z', loop);
      await shown(schedule).toEqual({
        schedule: '0 9 * * * (UTC)',
        nextScheduledAt: '2026-01-06T09:00:00.000Z',
        lastScheduledAt: '2026-01-05T09:00:00.000Z',
      });
      await schedule.at('2026-01-05T09:30Z', loop);
      await schedule.at('2026-01-06T09:00Z', loop);
      await eventually(() => schedule.runs.toSorted()).toEqual([
        'api 2026-01-05T09:00Z',
        'api 2026-01-06T09:00Z',
        'web 2026-01-05T09:00Z',
        'web 2026-01-06T09:00Z',
      ]);
      await eventually(async () => await loop.query(next)).toEqual({
        schedule: '0 9 * * * (UTC)',
        at: '2026-01-07T09:00:00.000Z',
      });
    });
  });

  it('sleeps till then by itself', async () => {
    await withSchedule({}, async (schedule, world) => {
      await schedule.turn(true);
      schedule.now = '2026-01-05T08:59:59.500Z';
      await schedule.start(world);
      await shown(schedule).toMatchObject({ nextScheduledAt: '2026-01-05T09:00:00.000Z' });
      expect(schedule.runs).toEqual([]);
      schedule.now = '2026-01-05T09:00:00.001Z';
      await eventually(() => schedule.runs).toEqual(['hello 2026-01-05T09:00Z']);
    });
  });

  it('starts one run after three times that were missed while no worker ran', async () => {
    await withSchedule({}, async (schedule, world) => {
      await schedule.turn(true);
      schedule.now = '2026-01-05T08:59:59.500Z';
      await schedule.start(world);
      await shown(schedule).toMatchObject({ nextScheduledAt: '2026-01-05T09:00:00.000Z' });
      await world.whileDown(() => void (schedule.now = '2026-01-07T12:00:00Z'));
      await eventually(() => schedule.runs).toEqual(['hello 2026-01-07T09:00Z']);
      await shown(schedule).toMatchObject({ nextScheduledAt: '2026-01-08T09:00:00.000Z' });
      await schedule.rest(world);
      expect(schedule.runs).toHaveLength(1);
    });
  });

  it('runs at once when scheduling is turned on for the first time, and not when it is turned on again', async () => {
    await withSchedule({}, async (schedule, world) => {
      schedule.now = '2026-01-06T12:00Z';
      const loop = await schedule.start(world);
      await shown(schedule).toEqual({ schedule: '0 9 * * * (UTC); scheduling is off in this org' });
      await schedule.turn(true);
      await schedule.at('2026-01-06T12:01Z', loop);
      await eventually(() => schedule.runs).toEqual(['hello 2026-01-06T09:00Z']);

      await schedule.turn(false);
      await schedule.at('2026-01-06T12:02Z', loop);
      await shown(schedule).toEqual({
        schedule: '0 9 * * * (UTC); scheduling is off in this org',
        lastScheduledAt: '2026-01-06T09:00:00.000Z',
      });
      await schedule.at('2026-01-08T10:00Z', loop);
      await schedule.turn(true);
      await schedule.at('2026-01-08T10:01Z', loop);
      await shown(schedule).toMatchObject({ nextScheduledAt: '2026-01-09T09:00:00.000Z' });
      expect(schedule.runs).toHaveLength(1);
      await schedule.at('2026-01-09T09:00Z', loop);
      await eventually(() => schedule.runs).toEqual(['hello 2026-01-06T09:00Z', 'hello 2026-01-09T09:00Z']);
    });
  });

  it('starts nothing for times that passed while it was off, also when no worker ran at the switch', async () => {
    await withSchedule({}, async (schedule, world) => {
      await schedule.turn(true);
      const loop = await schedule.start(world);
      await schedule.at('2026-01-05T09:00Z', loop);
      await world.whileDown(async () => {
        schedule.now = '2026-01-05T10:00Z';
        await schedule.turn(false);
        schedule.now = '2026-01-07T10:00Z';
        await schedule.turn(true);
        await loop.signal(scheduleChanged);
      });
      await shown(schedule).toMatchObject({ nextScheduledAt: '2026-01-08T09:00:00.000Z' });
      await eventually(() => schedule.runs).toEqual(['hello 2026-01-05T09:00Z']);
    });
  });

  it.each([
    [
      'America/New_York',
      '30 2 * * *',
      '2026-03-07T06:00Z',
      ['2026-03-07T07:30Z', '2026-03-08T07:00Z', '2026-03-09T06:30Z'],
    ],
    [
      'America/New_York',
      '30 1 * * *',
      '2026-10-31T05:00Z',
      ['2026-10-31T05:30Z', '2026-11-01T05:30Z', '2026-11-02T06:30Z'],
    ],
    ['Africa/Cairo', '0 0 * * *', '2026-04-22T21:00Z', ['2026-04-22T22:00Z', '2026-04-23T22:00Z', '2026-04-24T21:00Z']],
    [
      'Africa/Cairo',
      '30 23 * * *',
      '2026-10-28T20:00Z',
      ['2026-10-28T20:30Z', '2026-10-29T20:30Z', '2026-10-30T21:30Z'],
    ],
    [
      'Australia/Lord_Howe',
      '15 2 * * *',
      '2026-10-02T15:00Z',
      ['2026-10-02T15:45Z', '2026-10-03T15:30Z', '2026-10-04T15:15Z'],
    ],
    [
      'Australia/Lord_Howe',
      '45 1 * * *',
      '2026-04-03T14:00Z',
      ['2026-04-03T14:45Z', '2026-04-04T14:45Z', '2026-04-05T15:15Z'],
    ],
  ])('keeps to the clock of %s over its change: %s', async (timeZone, cron, createdAt, due) => {
    await withSchedule({ crons: [cron], createdAt }, async (schedule, world) => {
      await schedule.turn(true, timeZone);
      const loop = await schedule.start(world);
      // Shortly before, then, and once the clock may show it again.
      for (const time of due)
        for (const minutes of [-1, 0, 30, 60])
          await schedule.at(new Date(Date.parse(time) + minutes * 60_000).toISOString(), loop);
      await eventually(() => schedule.runs).toEqual(due.map((time) => `hello ${time}`));
    });
  });

  it.each(['deleteAgentWorkflow', 'deleteOrg', 'change'] as const)(
    'ends once %s has left nothing scheduled',
    async (goes) => {
      await withSchedule({}, async (schedule, world) => {
        await schedule.turn(true);
        const loop = await schedule.start(world);
        await shown(schedule).toHaveProperty('nextScheduledAt');
        await schedule[goes]({ triggers: [] });
        await loop.signal(scheduleChanged);
        await loop.result();
        expect(schedule.runs).toEqual([]);
        expect(world.calls('recordSchedule').at(-1)?.plan).toEqual({});
      });
    },
  );

  it('looks again by itself where a word to it was lost', async () => {
    await withSchedule({}, async (schedule, world) => {
      await schedule.turn(true);
      const loop = await schedule.start(world, { lookAgainMs: 200 });
      await shown(schedule).toHaveProperty('nextScheduledAt');
      await schedule.deleteAgentWorkflow();
      await loop.result();
    });
  });

  it('starts the runs of very many Products in parts, each of the same time, whatever comes due meanwhile', async () => {
    const schedule = new ASchedule('any', created);
    const due = '2026-01-05T09:00:00.000Z';
    const plans = [
      { start: { due, products: ['api', 'docs'], more: true } },
      { start: { due, products: ['web'], more: false } },
    ];
    const readSchedule = async () => ({ now: due, schedule: daily, ...plans.shift() });
    const recordSchedule = async () => {};
    await onTemporal({ ...schedule.activities, readSchedule, recordSchedule }, async (world) => {
      schedule.org = world.taskQueue;
      const loop = await schedule.start(world);
      await eventually(() => schedule.runs.toSorted()).toEqual([
        'api 2026-01-05T09:00Z',
        'docs 2026-01-05T09:00Z',
        'web 2026-01-05T09:00Z',
      ]);
      const ref = { org: schedule.org, agentWorkflow: 'upkeep' };
      await eventually(() => world.calls('readSchedule')).toEqual([
        ref,
        { ...ref, starting: { due, after: 'docs' } },
        ref,
      ]);
      await eventually(() => world.calls('recordSchedule')).toEqual([
        { ...ref, plan: { schedule: daily }, started: due },
        { ...ref, plan: { schedule: daily } },
      ]);
      await schedule.rest(world);
      await loop.terminate();
    });
    await schedule.close();
  });
});
