import { describe, expect, it } from 'vitest';
import { startApi } from '../../support/start-api.ts';
import { withDraft, writer } from './agents-fixture.ts';

describe('listAgentRoles', () => {
  it('200: returns the AgentRoles of the org', async () => {
    const { request } = await withDraft();
    expect(await (await request('/v1/orgs/acme/agentroles')).json()).toMatchObject({ items: [{ name: 'writer' }] });
  });
});

describe('getAgentRole', () => {
  it('200: returns the AgentRole with its ETag; 404: names a missing one', async () => {
    const { request } = await withDraft();
    const read = await request('/v1/orgs/acme/agentroles/writer', { role: 'viewer' });
    expect(read.headers.get('ETag')).toMatch(/^"\d+\.[\w-]+"$/);
    expect(await read.json()).toMatchObject({ kind: 'AgentRole', name: 'writer', org: 'acme', spec: writer.spec });
    const missing = await request('/v1/orgs/acme/agentroles/ghost');
    expect(await missing.json()).toMatchObject({ status: 404, detail: 'No AgentRole named "ghost" in org "acme".' });
  });
});

describe('createAgentRole', () => {
  it('422: rejects an unknown tool, and network access that the org does not allow', async () => {
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
    await request('/v1/orgs/acme/agent-limits', { method: 'PUT', body: { allowNetwork: true } });
    const role = { network: true, tools: ['read_file'], model: 'small', limits: { costUsd: 0.5, seconds: 600 } };
    expect(await post(role)).toMatchObject({ name: 'surfer', spec: role });
  });

  it('409: rejects a name that exists', async () => {
    const { post } = await withDraft();
    expect((await post('agentroles', writer)).status).toBe(409);
  });
});

describe('replaceAgentRole', () => {
  it('200: replaces the version that was read; 412: rejects a stale one', async () => {
    const { request } = await withDraft();
    const etag = (await request('/v1/orgs/acme/agentroles/writer')).headers.get('ETag') ?? '';
    const spec = { responsibilities: ['Write it well.'] };
    const replace = async (tag: string | null) =>
      request('/v1/orgs/acme/agentroles/writer', { method: 'PUT', body: { spec }, headers: { 'If-Match': tag ?? '' } });
    const replaced = await replace(etag);
    expect(await replaced.json()).toMatchObject({ name: 'writer', spec });
    expect((await replace(etag)).status).toBe(412);
    expect((await replace(replaced.headers.get('ETag'))).status).toBe(200);
  });

  it('200: replaces the version that was created; 412: does not delete by an earlier one', async () => {
    const { request, post } = await withDraft();
    const { headers } = await post('agentroles', { ...writer, name: 'reader' });
    const send = async (method: string, body?: object) => {
      const path = '/v1/orgs/acme/agentroles/reader';
      return await request(path, { method, body, headers: { 'If-Match': headers.get('ETag') ?? '' } });
    };
    expect((await send('PUT', { spec: { responsibilities: ['Read it.'] } })).status).toBe(200);
    expect((await send('DELETE')).status).toBe(412);
  });
});

describe('deleteAgentRole', () => {
  it('409: keeps an AgentRole that an AgentWorkflow uses; 204: deletes an unused one', async () => {
    const { request, post } = await withDraft();
    expect((await request('/v1/orgs/acme/agentroles/writer', { method: 'DELETE' })).status).toBe(409);
    await post('agentroles', { ...writer, name: 'unused' });
    const steps = ['writer', 'checker'].map((role) => ({ name: role, type: 'agent', role, mode: 'report' }));
    await post('agentroles', { ...writer, name: 'checker' });
    await post('agentworkflows', { name: 'checked', spec: { enabled: true, triggers: [], steps } });
    expect((await request('/v1/orgs/acme/agentroles/checker', { method: 'DELETE' })).status).toBe(409);
    expect((await request('/v1/orgs/acme/agentroles/unused', { method: 'DELETE' })).status).toBe(204);
    expect((await request('/v1/orgs/acme/agentroles/unused')).status).toBe(404);
  });
});
