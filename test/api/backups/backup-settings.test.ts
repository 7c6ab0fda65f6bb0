import { ScheduleNotFoundError } from '@temporalio/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { applyBackupSchedule } from '../../../src/reconcile/apply-backup-schedule.ts';
import { backupSettingsRef } from '../../../src/rules/backups/kinds.ts';
import { findNextDueTime } from '../../../src/rules/scheduling/due-times.ts';
import { backupScheduleId } from '../../../workflows/backups/messages.ts';
import { makePlatformAdmin } from '../../clients/ui/settings-fixture.ts';
import { connectTemporal, describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { eventually } from '../../support/workflows/with-workflow-harness.ts';
import { startApi as startUnreachable } from '../../support/start-api.ts';
import { startApiWithUser } from '../auth/session-fixture.ts';

type Settings = { nextTimes?: string[] };

/** The server of all tests has one schedule of backups, which only this file uses. */
async function startApi() {
  const { client, close } = await connectTemporal();
  const schedule = client.schedule.getHandle(backupScheduleId);
  onTestFinished(async () => {
    await schedule.delete().catch(() => undefined);
    await close();
  });
  const api = await startApiWithUser(undefined, {}, client);
  await makePlatformAdmin(api.store, 'jo@example.com');
  const send = async (method: string, path: string, body?: unknown) =>
    await api.requestWithSession(`/v1/backup${path}`, { method, ...(body !== undefined && { body }) });
  return {
    ...api,
    client,
    schedule,
    send,
    createKey: async () => (await (await send('PUT', '/key')).json()) as { key: string },
    read: async () => (await (await send('GET', '/settings')).json()) as Settings,
  };
}

const newYear = { cron: '30 3 1 1 *', timeZone: 'Europe/Berlin', paused: false };

const actions = ['putBackupKey', 'putBackupSettings', 'createBackup', 'createRestore'];
const defaults = {
  keepLast: 14,
  destination: 's3://backups/delivery/',
  actions: actions.map((name) => ({ name, allowed: true })),
};

describe('putBackupSettings', () => {
  it('422: names the values that are not allowed', async () => {
    const { send } = await startApi();
    const schedules = [
      [{ keepLast: 0 }, '/keepLast'],
      [{ schedule: { cron: '61 * * * *' } }, '/schedule/cron'],
      [{ schedule: { cron: '0 0 31 2 *' } }, '/schedule/cron'],
      [{ schedule: { cron: '0 3 * * *', timeZone: '+02:00' } }, '/schedule/timeZone'],
    ] as const;
    for (const [body, pointer] of schedules) {
      const refused = await send('PUT', '/settings', body);
      expect(refused.status).toBe(422);
      expect(await refused.json()).toMatchObject({ errors: [{ pointer }] });
    }
  });

  it('200: takes the ETag of a response; 412: refuses an earlier one', async () => {
    const { requestWithSession } = await startApi();
    const put = async (keepLast: number, headers: Record<string, string>) =>
      await requestWithSession('/v1/backup/settings', { method: 'PUT', body: { keepLast }, headers });
    const first = await put(3, {});
    const headers = { 'If-Match': first.headers.get('ETag') ?? '' };
    expect([first.status, (await put(4, headers)).status]).toEqual([200, 200]);
    expect((await put(5, headers)).status).toBe(412);
  });

  it('409: requires a recovery key for a schedule', async () => {
    const { send, read } = await startApi();
    const refused = await send('PUT', '/settings', { schedule: newYear });
    expect(await refused.json()).toMatchObject({ status: 409, reason: 'backup-key-missing' });
    expect(await read()).toEqual(defaults);
  });
});

describeWithTemporal('the schedule of backups', () => {
  it('is created, changed, paused and removed with the settings, which show its next times', async () => {
    const { send, read, createKey } = await startApi();
    const { key } = await createKey();
    const year = new Date().getUTCFullYear() + 1;
    const created = await send('PUT', '/settings', { keepLast: 3, schedule: newYear });
    expect(await created.json()).toMatchObject({ keepLast: 3, key, schedule: newYear });
    expect((await read()).nextTimes?.slice(0, 2)).toEqual([
      `${year}-01-01T02:30:00.000Z`,
      `${year + 1}-01-01T02:30:00.000Z`,
    ]);
    await send('PUT', '/settings', { schedule: { cron: '0 0 1 JUL *' } });
    expect((await read()).nextTimes?.[0]).toMatch(/-07-01T00:00:00.000Z$/);
    await send('PUT', '/settings', { schedule: { cron: '0 0 1 JUL *', paused: true } });
    expect(await read()).toMatchObject({ schedule: { timeZone: 'UTC', paused: true }, nextTimes: [] });
    expect(await (await send('PUT', '/settings', {})).json()).toEqual({
      ...defaults,
      key,
      resourceVersion: expect.any(String),
    });
  });

  it('starts a backup when either the day of the month or that of the week matches', async () => {
    const { send, read, createKey } = await startApi();
    await createKey();
    await send('PUT', '/settings', { schedule: { cron: '0 0 13 * 5' } });
    const times = (await read()).nextTimes ?? [];
    expect(times).toHaveLength(5);
    // Both match together only a few times a year.
    expect(Date.parse(times[4] ?? '') - Date.now()).toBeLessThan(36 * 24 * 60 * 60_000);
    for (const time of times)
      expect([`${new Date(time).getUTCDate()}`, `weekday ${new Date(time).getUTCDay()}`]).toSatisfy(
        ([day, weekday]: string[]) => day === '13' || weekday === 'weekday 5',
      );
  });

  it.each([
    ['30 3 * * FRI-SUN', 'europe/berlin'],
    ['0 0 31 4 */2', 'utc'],
    ['0 12 */10 * 1', 'PST'],
  ])('starts backups at the times that the settings mean, also for "%s" in %s', async (cron, timeZone) => {
    const { send, read, createKey } = await startApi();
    await createKey();
    const saved = await send('PUT', '/settings', { schedule: { cron, timeZone } });
    expect(saved.status).toBe(200);
    const expected: string[] = [];
    for (let at: Date | undefined = new Date(); expected.length < 5;) {
      at = findNextDueTime({ crons: [cron], timeZone }, at ?? new Date());
      expected.push(at?.toISOString() ?? '');
    }
    expect((await read()).nextTimes).toEqual(expected);
  });

  it('skips a time while the backup of an earlier one runs', async () => {
    const { send, client, schedule, createKey } = await startApi();
    await createKey();
    await send('PUT', '/settings', { schedule: newYear });
    const { overlap } = (await schedule.describe()).policies;
    await schedule.trigger(overlap);
    // No worker runs it, so it stays open.
    await eventually(async () => (await schedule.describe()).info.runningActions.length).toBe(1);
    const [running] = (await schedule.describe()).info.runningActions;
    const handle = client.workflow.getHandle(running?.workflow.workflowId ?? '');
    onTestFinished(async () => void (await handle.terminate()));
    expect((await handle.describe()).type).toBe('backUpOnSchedule');
    await schedule.trigger(overlap);
    await eventually(async () => (await schedule.describe()).info.numActionsSkippedOverlap).toBe(1);
    expect((await schedule.describe()).info.numActionsTaken).toBe(1);
  });

  it('is what the settings say after another process died before it applied them', async () => {
    const { send, read, store, client, schedule, createKey } = await startApi();
    await createKey();
    await send('PUT', '/settings', { schedule: newYear });
    await schedule.delete();
    expect((await read()).nextTimes).toEqual([]);
    await applyBackupSchedule({ store, temporal: client });
    expect((await read()).nextTimes).not.toEqual([]);
    await schedule.pause('A person paused it in the Temporal Web UI.');
    await applyBackupSchedule({ store, temporal: client });
    const { state, info } = await schedule.describe();
    expect(state.paused).toBe(false);
    await applyBackupSchedule({ store, temporal: client });
    expect((await schedule.describe()).info.lastUpdatedAt).toEqual(info.lastUpdatedAt);
    await store.delete(ConfigMapKind, backupSettingsRef);
    await applyBackupSchedule({ store, temporal: client });
    await expect(schedule.describe()).rejects.toBeInstanceOf(ScheduleNotFoundError);
  });
});

describe('getBackupSettings', () => {
  it('200: shows the defaults, then the public part of the key', async () => {
    const { read, createKey } = await startApi();
    expect(await read()).toEqual(defaults);
    const { key } = await createKey();
    expect(await read()).toEqual({ ...defaults, key });
  });

  it('200: says who may change them to a platform admin with a token', async () => {
    const { request } = await startUnreachable();
    const { actions: refused } = (await (await request('/v1/backup/settings')).json()) as typeof defaults;
    expect(refused.map(({ allowed }) => allowed)).toEqual(actions.map(() => false));
    expect(refused[0]).toMatchObject({ reason: 'role-insufficient', message: expect.stringContaining('password') });
  });

  it('503: says that the schedule cannot be read', async () => {
    const { request, store } = await startUnreachable();
    const data = { settings: JSON.stringify({ schedule: newYear }) };
    await store.create(ConfigMapKind, { metadata: backupSettingsRef, data });
    const response = await request('/v1/backup/settings');
    expect(await response.json()).toMatchObject({ status: 503, reason: 'workflow-server-unreachable' });
  });
});
