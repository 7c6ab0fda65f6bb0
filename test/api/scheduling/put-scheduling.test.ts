import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../src/config.ts';
import { createSchedulingActivities } from '../../../activities/scheduling/scheduling-activities.ts';
import { createRunStatus } from '../../../src/rules/changes/run-status.ts';
import { openMemoryStore } from '../../support/open-test-store.ts';
import { runScheduleId } from '../../../workflows/scheduling/messages.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import { startApi } from '../../support/start-api.ts';
import { connectTemporal, describeWithTemporal } from '../../support/workflows/temporal-client.ts';

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

describe('putScheduling', () => {
  it('200: saves the settings in the org; an empty time zone is UTC', async () => {
    const { request } = await startApi({ role: 'org-admin' });
    const put = async (body: object) => await request(path, { method: 'PUT', body });
    const response = await put({ enabled: true, timeZone: 'Africa/Cairo' });
    expect([response.status, response.headers.get('ETag')]).toEqual([200, expect.any(String)]);
    const spec = { codehostAccount: 'acme', gitopsRepo: 'acme/gitops' };
    const read = async () => (await (await request('/v1/orgs/acme', { role: 'viewer' })).json()) as { spec: object };
    expect((await read()).spec).toEqual({ ...spec, scheduling: { enabled: true, timeZone: 'Africa/Cairo' } });
    expect((await put({ enabled: false, timeZone: '' })).status).toBe(200);
    expect((await read()).spec).toEqual({ ...spec, scheduling: { enabled: false, timeZone: '' } });
    const stale = { method: 'PUT', body: { enabled: true, timeZone: '' }, headers: { 'If-Match': '"1"' } };
    expect((await request(path, stale)).status).toBe(412);
  });

  it.each([
    [{ enabled: true, timeZone: 'Atlantis/Capital' }, '/timeZone'],
    [{ enabled: true, timeZone: '+02:00' }, '/timeZone'],
    [{ enabled: 'yes', timeZone: '' }, '/enabled'],
    [{ timeZone: 'UTC' }, '/enabled'],
    [{ enabled: true, timeZone: '', since: 'now' }, '/since'],
  ])('422: %j is rejected at %s', async (body, pointer) => {
    const { request } = await startApi({ role: 'org-admin' });
    const rejected = await request(path, { method: 'PUT', body });
    expect(await rejected.json()).toMatchObject({ status: 422, errors: [{ pointer }] });
  });

  it('422: an AgentWorkflow with an invalid schedule is rejected at that field', async () => {
    const { request } = await startApi({ role: 'org-admin' });
    await request('/v1/orgs/acme/agentroles', { method: 'POST', body: keeper });
    const body = workflow('upkeep', '0 25 * * *');
    const rejected = await request('/v1/orgs/acme/agentworkflows', { method: 'POST', body });
    expect(await rejected.json()).toMatchObject({
      status: 422,
      errors: [{ pointer: '/spec/triggers/0/schedule', detail: expect.stringContaining('hour must not be "25"') }],
    });
  });

  it('503: the settings are saved although the workflow server is unreachable', async () => {
    const { request } = await startApi({ role: 'org-admin' });
    await request('/v1/orgs/acme/agentroles', { method: 'POST', body: keeper });
    const post = { method: 'POST', body: workflow('upkeep', '0 9 * * *') };
    expect((await request('/v1/orgs/acme/agentworkflows', post)).status).toBe(503);
    expect((await request(path, { method: 'PUT', body: { enabled: true, timeZone: '' } })).status).toBe(503);
    const org = await (await request('/v1/orgs/acme')).json();
    expect(org).toMatchObject({ spec: { scheduling: { enabled: true } } });
  });
});

describeWithTemporal('putScheduling with a schedule', () => {
  it('signals the schedule at every change; the schedule starts runs and ends with its AgentWorkflow', async () => {
    const store = openMemoryStore();
    let now = new Date(Date.now() + 48 * 60 * 60_000);
    now.setUTCHours(8, 30, 0, 0);
    const started: string[] = [];
    const activities = {
      ...createSchedulingActivities({ store, now: () => now, quotas: loadConfig({}).quotas }),
      openRun: async ({ product }: { product: string }) => {
        started.push(product);
        return { steps: [], roles: {}, status: createRunStatus([], now.toISOString()) };
      },
      recordRun: async () => {},
    };
    const { connection, close } = await connectTemporal();
    onTestFinished(close);
    await withWorkflowHarness(activities, async ({ taskQueue }) => {
      // The API starts schedules on the default task queue, so the interceptor replaces it with the queue of this test.
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
      // The workflow id has to be unique on the Temporal server that all tests share.
      const name = `upkeep-${randomUUID().slice(0, 8)}`;
      const read = async () =>
        (await (await request(`/v1/orgs/acme/agentworkflows/${name}`)).json()) as {
          status?: object;
          resourceVersion: string;
        };
      const expectStatus = () => eventually(async () => (await read()).status);

      await send('POST', 'agentroles', keeper);
      await send('POST', 'products', { name: 'hello', spec: { repos: ['acme/hello'] } });
      await send('POST', 'agentworkflows', workflow(name, '0 9 * * *'));
      await expectStatus().toEqual({ schedule: '0 9 * * * (UTC); scheduling is off in this org' });

      const day = now.toISOString().slice(0, 10);
      await send('PUT', 'scheduling', { enabled: true, timeZone: 'Asia/Tokyo' });
      // The local time is 17:30, so nine o'clock has passed since the AgentWorkflow was created.
      await eventually(() => started).toEqual(['hello']);
      await expectStatus().toMatchObject({
        schedule: '0 9 * * * (Asia/Tokyo)',
        lastScheduledAt: `${day}T00:00:00.000Z`,
      });

      const replaceWith = async (schedule: string) => {
        const { spec } = workflow(name, schedule);
        await send('PUT', `agentworkflows/${name}`, { spec, resourceVersion: (await read()).resourceVersion });
      };
      now = new Date(`${day}T08:40:00Z`);
      await replaceWith('45 17 * * *');
      await expectStatus().toMatchObject({
        schedule: '45 17 * * * (Asia/Tokyo)',
        nextScheduledAt: `${day}T08:45:00.000Z`,
      });
      await send('PUT', 'scheduling', { enabled: false, timeZone: 'Asia/Tokyo' });
      await expectStatus().not.toHaveProperty('nextScheduledAt');
      now = new Date(`${day}T10:00:00Z`);
      await send('PUT', 'scheduling', { enabled: true, timeZone: 'Asia/Tokyo' });
      await expectStatus().toHaveProperty('nextScheduledAt');

      await send('DELETE', `agentworkflows/${name}`);
      const schedule = temporal.workflow.getHandle(runScheduleId({ org: 'acme', agentWorkflow: name }));
      await schedule.result();
      expect(started).toEqual(['hello']);
    });
    await store.close();
  });
});
