import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSchedulingActivities } from '../../../activities/scheduling.ts';
import { newRunStatus } from '../../../src/rules/changes/run-status.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { keepScheduleId } from '../../../workflows/scheduling/messages.ts';
import { eventually, onTemporal } from '../../support/on-temporal.ts';
import { startApi } from '../../support/start-api.ts';
import { connectTemporal, describeWithTemporal } from '../../support/temporal-client.ts';

const path = '/v1/orgs/acme/scheduling';
const workflow = (name: string, schedule: string) => ({
  name,
  spec: {
    enabled: true,
    triggers: [{ type: 'cron', schedule }],
    steps: [{ name: 'look', type: 'agent', role: 'keeper', mode: 'report' }],
  },
});
const keeper = { name: 'keeper', spec: { responsibilities: ['Look after it.'] } };

describe('scheduling', () => {
  it('200: is the org’s; an empty time zone is UTC', async () => {
    const { request } = await startApi({ role: 'org-admin' });
    const put = async (body: object) => await request(path, { method: 'PUT', body });
    const saved = await put({ enabled: true, timeZone: 'Africa/Cairo' });
    expect([saved.status, saved.headers.get('ETag')]).toEqual([200, expect.any(String)]);
    const spec = { codehostAccount: 'acme', gitopsRepo: 'acme/gitops' };
    const read = async () => (await (await request('/v1/orgs/acme', { role: 'viewer' })).json()) as { spec: object };
    expect((await read()).spec).toEqual({ ...spec, scheduling: { enabled: true, timeZone: 'Africa/Cairo' } });
    expect((await put({ enabled: false, timeZone: '' })).status).toBe(200);
    expect((await read()).spec).toEqual({ ...spec, scheduling: { enabled: false, timeZone: '' } });
    const stale = { method: 'PUT', body: { enabled: true, timeZone: '' }, headers: { 'If-Match': '"1"' } };
    expect((await request(path, stale)).status).toBe(409);
  });

  it.each([
    [{ enabled: true, timeZone: 'Atlantis/Capital' }, '/timeZone'],
    [{ enabled: true, timeZone: '+02:00' }, '/timeZone'],
    [{ enabled: 'yes', timeZone: '' }, '/enabled'],
    [{ timeZone: 'UTC' }, '/enabled'],
    [{ enabled: true, timeZone: '', since: 'now' }, '/since'],
  ])('422: %j names %s', async (body, pointer) => {
    const { request } = await startApi({ role: 'org-admin' });
    const refused = await request(path, { method: 'PUT', body });
    expect(await refused.json()).toMatchObject({ status: 422, errors: [{ pointer }] });
  });

  it('422: an AgentWorkflow’s schedule that cannot be read says which field', async () => {
    const { request } = await startApi({ role: 'org-admin' });
    await request('/v1/orgs/acme/agentroles', { method: 'POST', body: keeper });
    const body = workflow('upkeep', '0 25 * * *');
    const refused = await request('/v1/orgs/acme/agentworkflows', { method: 'POST', body });
    expect(await refused.json()).toMatchObject({
      status: 422,
      errors: [{ pointer: '/spec/triggers/0/schedule', detail: expect.stringContaining('hour cannot be "25"') }],
    });
  });

  it('503: what was written while the workflow server is away stays written', async () => {
    const { request } = await startApi({ role: 'org-admin' });
    await request('/v1/orgs/acme/agentroles', { method: 'POST', body: keeper });
    const post = { method: 'POST', body: workflow('upkeep', '0 9 * * *') };
    expect((await request('/v1/orgs/acme/agentworkflows', post)).status).toBe(503);
    expect((await request(path, { method: 'PUT', body: { enabled: true, timeZone: '' } })).status).toBe(503);
    const org = await (await request('/v1/orgs/acme')).json();
    expect(org).toMatchObject({ spec: { scheduling: { enabled: true } } });
  });
});

describeWithTemporal('schedules by the API', () => {
  it('wake up with every change, are shown, start runs, and go with their AgentWorkflow', async () => {
    const store = openSqliteStore({ file: ':memory:' });
    let now = new Date(Date.now() + 48 * 60 * 60_000);
    now.setUTCHours(8, 30, 0, 0);
    const started: string[] = [];
    const activities = {
      ...createSchedulingActivities({ store, now: () => now }),
      openRun: async ({ product }: { product: string }) => {
        started.push(product);
        return { steps: [], roles: {}, status: newRunStatus([], now.toISOString()) };
      },
      recordRun: async () => {},
    };
    const { connection, close } = await connectTemporal();
    onTestFinished(close);
    await onTemporal(activities, async (world) => {
      const { taskQueue } = world;
      // The API starts on the queue of all workers: here it is this test's own.
      const temporal = new Client({
        connection,
        interceptors: {
          workflow: [
            {
              signalWithStart: async (input, next) =>
                await next({ ...input, options: { ...input.options, taskQueue } }),
            },
          ],
        },
      });
      const { request } = await startApi({ role: 'org-admin', store, temporal, now: () => now });
      const send = async (method: string, to: string, body?: object) => {
        const response = await request(`/v1/orgs/acme/${to}`, { method, ...(body && { body }) });
        expect(response.status, `${method} ${to}`).toBeLessThan(300);
      };
      // The id of its loop is known to the whole server.
      const name = `upkeep-${randomUUID().slice(0, 8)}`;
      const read = async () =>
        (await (await request(`/v1/orgs/acme/agentworkflows/${name}`)).json()) as {
          status?: object;
          resourceVersion: string;
        };
      const shown = () => eventually(async () => (await read()).status);

      await send('POST', 'agentroles', keeper);
      await send('POST', 'products', { name: 'hello', spec: { repos: ['acme/hello'] } });
      await send('POST', 'agentworkflows', workflow(name, '0 9 * * *'));
      await shown().toEqual({ schedule: '0 9 * * * (UTC); scheduling is off in this org' });

      const day = now.toISOString().slice(0, 10);
      await send('PUT', 'scheduling', { enabled: true, timeZone: 'Asia/Tokyo' });
      // 17:30 there: nine o'clock has passed since the AgentWorkflow was created.
      await eventually(() => started).toEqual(['hello']);
      await shown().toMatchObject({ schedule: '0 9 * * * (Asia/Tokyo)', lastScheduledAt: `${day}T00:00:00.000Z` });

      const replaceWith = async (schedule: string) => {
        const { spec } = workflow(name, schedule);
        await send('PUT', `agentworkflows/${name}`, { spec, resourceVersion: (await read()).resourceVersion });
      };
      now = new Date(`${day}T08:40:00Z`);
      await replaceWith('45 17 * * *');
      await shown().toMatchObject({ schedule: '45 17 * * * (Asia/Tokyo)', nextScheduledAt: `${day}T08:45:00.000Z` });
      await send('PUT', 'scheduling', { enabled: false, timeZone: 'Asia/Tokyo' });
      await shown().not.toHaveProperty('nextScheduledAt');
      now = new Date(`${day}T10:00:00Z`);
      await send('PUT', 'scheduling', { enabled: true, timeZone: 'Asia/Tokyo' });
      await shown().toHaveProperty('nextScheduledAt');

      await send('DELETE', `agentworkflows/${name}`);
      const loop = temporal.workflow.getHandle(keepScheduleId({ org: 'acme', agentWorkflow: name }));
      await loop.result();
      expect(started).toEqual(['hello']);
    });
    await store.close();
  });
});
