import { describe, expect, it } from 'vitest';
import { startApi } from '../../support/start-api.ts';

const limitsPath = '/v1/orgs/acme/agent-limits';

describe('putAgentLimits', () => {
  it('200: replaces the limits and no other setting of the org', async () => {
    const { request } = await startApi({ role: 'org-admin' });
    const agents = { allowNetwork: true, costUsdPerDay: 12.5, runsPerTargetPerHour: 3 };
    const saved = await request(limitsPath, { method: 'PUT', body: agents });
    expect([saved.status, saved.headers.get('ETag')]).toEqual([200, expect.any(String)]);
    const spec = { codehostAccount: 'acme', gitopsRepo: 'acme/gitops', agents };
    expect(await (await request('/v1/orgs/acme', { role: 'viewer' })).json()).toMatchObject({ spec });
    const stale = { method: 'PUT', body: agents, headers: { 'If-Match': '"1"' } };
    expect((await request(limitsPath, stale)).status).toBe(412);
    const wrong = await request(limitsPath, { method: 'PUT', body: { costUsdPerDay: 0 } });
    expect(await wrong.json()).toMatchObject({ status: 422, errors: [{ pointer: '/costUsdPerDay' }] });
  });

  it('422: names the setting of an installation that gives no agent a network', async () => {
    const { request } = await startApi({ role: 'org-admin', config: { agentNetwork: 'never' } });
    const put = async (body: object) => await request(limitsPath, { method: 'PUT', body });
    expect(await (await put({ allowNetwork: true })).json()).toMatchObject({
      status: 422,
      detail: expect.stringContaining('AGENT_NETWORK=never'),
      errors: [{ pointer: '/allowNetwork', detail: 'is not allowed by the installation' }],
    });
    expect((await put({ allowNetwork: false })).status).toBe(200);
    const role = { name: 'surfer', spec: { responsibilities: ['Surf.'], network: true } };
    const created = await request('/v1/orgs/acme/agentroles', { method: 'POST', body: role });
    expect(await created.json()).toMatchObject({ status: 422, errors: [{ pointer: '/spec/network' }] });
  });
});
