import { expect, it } from 'vitest';
import { startApi } from '../../support/start-api.ts';

const limitsPath = '/v1/orgs/acme/agent-limits';

it('200: limits are the org’s, seen by all of it, and none of its other settings', async () => {
  const { request } = await startApi({ role: 'org-admin' });
  const agents = { networkAllowed: true, costUsdPerDay: 12.5, runsPerTargetAndHour: 3 };
  const saved = await request(limitsPath, { method: 'PUT', body: agents });
  expect([saved.status, saved.headers.get('ETag')]).toEqual([200, expect.any(String)]);
  const spec = { codehostAccount: 'acme', gitopsRepo: 'acme/gitops', agents };
  expect(await (await request('/v1/orgs/acme', { role: 'viewer' })).json()).toMatchObject({ spec });
  const stale = { method: 'PUT', body: agents, headers: { 'If-Match': '"1"' } };
  expect((await request(limitsPath, stale)).status).toBe(409);
  const wrong = await request(limitsPath, { method: 'PUT', body: { costUsdPerDay: 0 } });
  expect(await wrong.json()).toMatchObject({ status: 422, errors: [{ pointer: '/costUsdPerDay' }] });
});

it('422: an AgentRole asks for no network that its org does not allow, and for no tool that there is not', async () => {
  const { request } = await startApi({ role: 'org-admin' });
  const post = async (spec: object) =>
    (
      await request('/v1/orgs/acme/agentroles', {
        method: 'POST',
        body: { name: 'surfer', spec: { responsibilities: ['Surf.'], ...spec } },
      })
    ).json();
  expect(await post({ network: true })).toMatchObject({ status: 422, errors: [{ pointer: '/spec/network' }] });
  expect(await post({ tools: ['read_file', 'launch'] })).toMatchObject({ errors: [{ pointer: '/spec/tools/1' }] });
  await request(limitsPath, { method: 'PUT', body: { networkAllowed: true } });
  const role = { network: true, tools: ['read_file'], model: 'small', limits: { costUsd: 0.5, seconds: 600 } };
  expect(await post(role)).toMatchObject({ name: 'surfer', spec: role });
});
