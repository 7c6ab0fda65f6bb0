import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Activities } from '../../../activities/index.ts';
import { toRunInput } from '../../../api/changes/update-run.ts';
import { ServiceError } from '../../../src/errors.ts';
import type { AgentWorkflowRun } from '../../../src/rules/changes/kinds.ts';
import { workflowIdAnnotation } from '../../../src/rules/changes/run-names.ts';
import { runAgentWorkflowStart } from '../../../workflows/changes/messages.ts';
import { nextScheduledQuery, scheduleChangedSignal } from '../../../workflows/scheduling/messages.ts';
import { ChangeFixture, buildTurnOutcome } from '../../support/workflows/change-fixture.ts';
import { ScheduleFixture } from '../../support/workflows/schedule-fixture.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import type { WorkflowHarness } from '../../support/workflows/workflow-harness.ts';
import { sample } from '../../support/sample.ts';

const created = '2026-01-05T08:00:00Z';
const daily = '0 9 * * *';

type ScheduleOptions = { crons?: string[]; products?: string[]; createdAt?: string };

/** Runs a test with its own schedule, and waits until it is idle before the histories are replayed. */
async function withSchedule(
  { crons = [daily], products, createdAt = created }: ScheduleOptions,
  test: (schedule: ScheduleFixture, harness: WorkflowHarness) => Promise<void>,
): Promise<void> {
  const schedule = await new ScheduleFixture(`org-${randomUUID().slice(0, 8)}`, createdAt).create(crons, products);
  await withWorkflowHarness(schedule.activities, async (harness) => {
    await test(schedule, harness);
    await schedule.waitUntilIdle(harness);
  });
  await schedule.close();
}

const expectStatus = (schedule: ScheduleFixture) => eventually(async () => await schedule.status());

describeWithTemporal('runSchedule', () => {
  it('starts one run per Product with a repo at each due time', async () => {
    await withSchedule({ products: ['web', 'api'] }, async (schedule, harness) => {
      await schedule.addProduct('empty', []);
      await schedule.setEnabled(true);
      const loop = await schedule.start(harness);
      await expectStatus(schedule).toEqual({
        schedule: '0 9 * * * (UTC)',
        nextScheduledAt: '2026-01-05T09:00:00.000Z',
      });
      expect(schedule.startedRuns).toEqual([]);
      await schedule.setTime('2026-01-05T09:00Z', loop);
      await expectStatus(schedule).toEqual({
        schedule: '0 9 * * * (UTC)',
        nextScheduledAt: '2026-01-06T09:00:00.000Z',
        lastScheduledAt: '2026-01-05T09:00:00.000Z',
      });
      await schedule.setTime('2026-01-05T09:30Z', loop);
      await schedule.setTime('2026-01-06T09:00Z', loop);
      await eventually(() => schedule.startedRuns.toSorted()).toEqual([
        'api 2026-01-05T09:00Z',
        'api 2026-01-06T09:00Z',
        'web 2026-01-05T09:00Z',
        'web 2026-01-06T09:00Z',
      ]);
      await eventually(async () => await loop.query(nextScheduledQuery)).toEqual({
        schedule: '0 9 * * * (UTC)',
        at: '2026-01-07T09:00:00.000Z',
      });
    });
  });

  it('starts and records nothing while a restore is in progress', async () => {
    await withSchedule({}, async (schedule, harness) => {
      await schedule.setEnabled(true);
      await schedule.setRestorePhase('Restoring');
      schedule.now = '2026-01-05T09:00:00.001Z';
      const loop = await schedule.start(harness);
      // The loop has slept and read again.
      await eventually(async () =>
        (await loop.fetchHistory()).events?.filter((event) => event.timerFiredEventAttributes),
      ).not.toHaveLength(0);
      expect(schedule.startedRuns).toEqual([]);
      expect(await schedule.status()).toBeUndefined();
      await schedule.setRestorePhase('Succeeded');
      await eventually(() => schedule.startedRuns).toEqual(['hello 2026-01-05T09:00Z']);
      await expectStatus(schedule).toMatchObject({ lastScheduledAt: '2026-01-05T09:00:00.000Z' });
    });
  });

  it('sleeps until the next due time', async () => {
    await withSchedule({}, async (schedule, harness) => {
      await schedule.setEnabled(true);
      schedule.now = '2026-01-05T08:59:59.500Z';
      await schedule.start(harness);
      await expectStatus(schedule).toMatchObject({ nextScheduledAt: '2026-01-05T09:00:00.000Z' });
      expect(schedule.startedRuns).toEqual([]);
      schedule.now = '2026-01-05T09:00:00.001Z';
      await eventually(() => schedule.startedRuns).toEqual(['hello 2026-01-05T09:00Z']);
    });
  });

  it('starts one run after three due times were missed while no worker was running', async () => {
    await withSchedule({}, async (schedule, harness) => {
      await schedule.setEnabled(true);
      schedule.now = '2026-01-05T08:59:59.500Z';
      await schedule.start(harness);
      await expectStatus(schedule).toMatchObject({ nextScheduledAt: '2026-01-05T09:00:00.000Z' });
      await harness.whileWorkerStopped(() => void (schedule.now = '2026-01-07T12:00:00Z'));
      await eventually(() => schedule.startedRuns).toEqual(['hello 2026-01-07T09:00Z']);
      await expectStatus(schedule).toMatchObject({ nextScheduledAt: '2026-01-08T09:00:00.000Z' });
      await schedule.waitUntilIdle(harness);
      expect(schedule.startedRuns).toHaveLength(1);
    });
  });

  it('starts a missed run when scheduling is enabled for the first time, and none when it is enabled again', async () => {
    await withSchedule({}, async (schedule, harness) => {
      schedule.now = '2026-01-06T12:00Z';
      const loop = await schedule.start(harness);
      await expectStatus(schedule).toEqual({ schedule: '0 9 * * * (UTC); scheduling is off in this org' });
      await schedule.setEnabled(true);
      await schedule.setTime('2026-01-06T12:01Z', loop);
      await eventually(() => schedule.startedRuns).toEqual(['hello 2026-01-06T09:00Z']);

      await schedule.setEnabled(false);
      await schedule.setTime('2026-01-06T12:02Z', loop);
      await expectStatus(schedule).toEqual({
        schedule: '0 9 * * * (UTC); scheduling is off in this org',
        lastScheduledAt: '2026-01-06T09:00:00.000Z',
      });
      await schedule.setTime('2026-01-08T10:00Z', loop);
      await schedule.setEnabled(true);
      await schedule.setTime('2026-01-08T10:01Z', loop);
      await expectStatus(schedule).toMatchObject({ nextScheduledAt: '2026-01-09T09:00:00.000Z' });
      expect(schedule.startedRuns).toHaveLength(1);
      await schedule.setTime('2026-01-09T09:00Z', loop);
      await eventually(() => schedule.startedRuns).toEqual(['hello 2026-01-06T09:00Z', 'hello 2026-01-09T09:00Z']);
    });
  });

  it('starts no runs for due times while scheduling was disabled, even when no worker was running at the change', async () => {
    await withSchedule({}, async (schedule, harness) => {
      await schedule.setEnabled(true);
      const loop = await schedule.start(harness);
      await schedule.setTime('2026-01-05T09:00Z', loop);
      await harness.whileWorkerStopped(async () => {
        schedule.now = '2026-01-05T10:00Z';
        await schedule.setEnabled(false);
        schedule.now = '2026-01-07T10:00Z';
        await schedule.setEnabled(true);
        await loop.signal(scheduleChangedSignal);
      });
      await expectStatus(schedule).toMatchObject({ nextScheduledAt: '2026-01-08T09:00:00.000Z' });
      await eventually(() => schedule.startedRuns).toEqual(['hello 2026-01-05T09:00Z']);
    });
  });

  const changes: [timeZone: string, cron: string, createdAt: string, due: string[]][] = [
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
  ];
  it.each(sample(changes, 2))(
    'follows the local time of %s across its daylight saving change: %s',
    async (timeZone, cron, createdAt, due) => {
      await withSchedule({ crons: [cron], createdAt }, async (schedule, harness) => {
        await schedule.setEnabled(true, timeZone);
        const loop = await schedule.start(harness);
        // The clock is set before the due time, to it, and to the times when the local clock may show it again.
        for (const time of due)
          for (const minutes of [-1, 0, 30, 60])
            await schedule.setTime(new Date(Date.parse(time) + minutes * 60_000).toISOString(), loop);
        await eventually(() => schedule.startedRuns).toEqual(due.map((time) => `hello ${time}`));
      });
    },
  );

  it.each(['deleteAgentWorkflow', 'deleteOrg', 'updateSpec'] as const)(
    'completes once %s has removed all schedules',
    async (change) => {
      await withSchedule({}, async (schedule, harness) => {
        await schedule.setEnabled(true);
        const loop = await schedule.start(harness);
        await expectStatus(schedule).toHaveProperty('nextScheduledAt');
        await schedule[change]({ triggers: [] });
        await loop.signal(scheduleChangedSignal);
        await loop.result();
        expect(schedule.startedRuns).toEqual([]);
        expect(harness.callInputs('recordSchedule').at(-1)?.plan).toEqual({});
      });
    },
  );

  it('reads the schedule again when a signal was lost', async () => {
    await withSchedule({}, async (schedule, harness) => {
      await schedule.setEnabled(true);
      const loop = await schedule.start(harness, { rereadIntervalMs: 200 });
      await expectStatus(schedule).toHaveProperty('nextScheduledAt');
      await schedule.deleteAgentWorkflow();
      await loop.result();
    });
  });

  it('starts the runs of many Products in batches of the same due time', async () => {
    const schedule = new ScheduleFixture('any', created);
    const due = '2026-01-05T09:00:00.000Z';
    const plans = [
      { start: { due, products: ['api', 'docs'], more: true } },
      { start: { due, products: ['web'], more: false } },
    ];
    const readSchedule = async () => ({ now: due, schedule: daily, ...plans.shift() });
    const recordSchedule = async () => {};
    await withWorkflowHarness({ ...schedule.activities, readSchedule, recordSchedule }, async (harness) => {
      schedule.org = harness.taskQueue;
      const loop = await schedule.start(harness);
      await eventually(() => schedule.startedRuns.toSorted()).toEqual([
        'api 2026-01-05T09:00Z',
        'docs 2026-01-05T09:00Z',
        'web 2026-01-05T09:00Z',
      ]);
      const ref = { org: schedule.org, agentWorkflow: 'upkeep' };
      await eventually(() => harness.callInputs('readSchedule')).toEqual([
        ref,
        { ...ref, pendingStart: { due, after: 'docs' } },
        ref,
      ]);
      await eventually(() => harness.callInputs('recordSchedule')).toEqual([
        { ...ref, plan: { schedule: daily }, started: due },
        { ...ref, plan: { schedule: daily } },
      ]);
      await schedule.waitUntilIdle(harness);
      await loop.terminate();
    });
    await schedule.close();
  });

  it('waits for the quota of the org between the runs of one due time, and records why', async () => {
    const schedule = new ScheduleFixture('any', created);
    const due = '2026-01-05T09:00:00.000Z';
    const waiting = `${daily}; waits`;
    const plans = [
      { schedule: waiting, start: { due, products: ['api'], more: true, isOverQuota: true } },
      { schedule: waiting, start: { due, products: [], more: true, isOverQuota: true } },
      { start: { due, products: ['web'], more: false } },
    ];
    const readSchedule = async () => ({ now: due, schedule: daily, ...plans.shift() });
    const recordSchedule = async () => {};
    await withWorkflowHarness({ ...schedule.activities, readSchedule, recordSchedule }, async (harness) => {
      schedule.org = harness.taskQueue;
      const loop = await schedule.start(harness, { quotaIntervalMs: 10 });
      const ref = { org: schedule.org, agentWorkflow: 'upkeep' };
      await eventually(() => harness.callInputs('recordSchedule')).toEqual([
        { ...ref, plan: { schedule: waiting } },
        { ...ref, plan: { schedule: waiting } },
        { ...ref, plan: { schedule: daily }, started: due },
        { ...ref, plan: { schedule: daily } },
      ]);
      const pending = { ...ref, pendingStart: { due, after: 'api' } };
      expect(harness.callInputs('readSchedule')).toEqual([ref, pending, pending, ref]);
      await eventually(() => schedule.startedRuns).toEqual(['api 2026-01-05T09:00Z', 'web 2026-01-05T09:00Z']);
      await schedule.waitUntilIdle(harness);
      await loop.terminate();
    });
    await schedule.close();
  });

  it('keeps the target kind and the summary of its run when a failed step is retried', async () => {
    const schedule = new ScheduleFixture('any', created);
    const due = '2026-01-05T09:00:00.000Z';
    const plans = [{ start: { due, products: ['hello'], more: false } }];
    let isBranchMissing = true;
    const change = new ChangeFixture({
      steps: [{ name: 'report', type: 'agent', role: 'code-reviewer', mode: 'report' }],
      turn: () => {
        if (isBranchMissing) throw new ServiceError('invalid', 'The branch does not exist.');
        return buildTurnOutcome('done');
      },
    });
    const activities: Partial<Activities> = {
      ...change.activities,
      readSchedule: async () => ({ now: due, schedule: daily, ...plans.shift() }),
      recordSchedule: async () => {},
    };
    await withWorkflowHarness(activities, async (harness) => {
      schedule.org = harness.taskQueue;
      const loop = await schedule.start(harness);
      await eventually(() => change.phase()).toBe('Failed');
      const [opened] = harness.callInputs('openRun');
      const { run = '', workflowId = '', org: _org, ...spec } = opened ?? {};
      const describeRun = async () => {
        const described = await harness.client.workflow.getHandle(workflowId).describe();
        const attributes = described.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]);
        return {
          runId: described.runId,
          summary: await described.staticSummary(),
          ...(Object.fromEntries(attributes) as { targetKind?: string }),
        };
      };
      const first = await describeRun();
      expect(first).toMatchObject({ targetKind: 'schedule', summary: `upkeep: hello/${due}` });

      // The phase is recorded before the execution completes, and only a completed one can be started again.
      await harness.client.workflow.getHandle(workflowId).result();
      isBranchMissing = false;
      const resource = { metadata: { annotations: { [workflowIdAnnotation]: workflowId } }, spec };
      const input = toRunInput(resource as unknown as AgentWorkflowRun, harness.taskQueue);
      await harness.start(
        runAgentWorkflowStart({ ...input, resume: { run, retry: { decision: { run, step: 'report', by: 'ada' } } } }),
      );
      await eventually(() => change.phase()).toBe('Succeeded');
      const retried = await describeRun();
      expect(retried.runId).not.toBe(first.runId);
      expect(retried).toMatchObject({ targetKind: 'schedule', summary: first.summary });
      await schedule.waitUntilIdle(harness);
      await loop.terminate();
    });
    await schedule.close();
  });
});
