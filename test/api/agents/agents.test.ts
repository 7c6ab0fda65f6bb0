import { describe, expect, it } from 'vitest';
import { catalogAgentWorkflows } from '../../../src/rules/agents/catalog.ts';
import { startApi } from '../../support/start-api.ts';

const writer = { name: 'writer', spec: { responsibilities: ['Write it.'] } };
const step = { name: 'write', type: 'agent', role: 'writer', mode: 'report' };
const draft = { name: 'draft', spec: { enabled: true, triggers: [], steps: [step] } };

async function withDraft() {
  const api = await startApi({ role: 'org-admin' });
  const post = async (path: string, body: unknown) => api.request(`/v1/orgs/acme/${path}`, { method: 'POST', body });
  expect((await post('agentroles', writer)).status).toBe(201);
  const created = await post('agentworkflows', draft);
  return { ...api, post, created, view: (await created.json()) as { resourceVersion: string } };
}

describe('AgentRoles and AgentWorkflows', () => {
  it('201: are created, read and listed', async () => {
    const { created, request } = await withDraft();
    expect(created.headers.get('Location')).toBe('/api/v1/orgs/acme/agentworkflows/draft');
    const read = await request('/v1/orgs/acme/agentworkflows/draft');
    expect(read.headers.get('ETag')).toMatch(/^"\d+"$/);
    expect(await read.json()).toMatchObject({ kind: 'AgentWorkflow', name: 'draft', org: 'acme', spec: draft.spec });
    expect(await (await request('/v1/orgs/acme/agentroles')).json()).toMatchObject({ items: [{ name: 'writer' }] });
  });

  it('422: name the step whose role there is not', async () => {
    const { post } = await withDraft();
    const response = await post('agentworkflows', {
      name: 'x',
      spec: { ...draft.spec, steps: [step, { ...step, name: 'b', role: 'ghost' }] },
    });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ errors: [{ pointer: '/spec/steps/1/role' }] });
  });

  it('422: name the property of a step that is not one', async () => {
    const { post } = await withDraft();
    const response = await post('agentworkflows', {
      name: 'x',
      spec: { ...draft.spec, steps: [{ ...step, colour: 'red' }] },
    });
    expect(await response.json()).toMatchObject({ status: 422, errors: [{ pointer: '/spec/steps/0/colour' }] });
  });

  it('201: come from the catalog with the roles that the org lacks, in an org made before it too', async () => {
    const { post, request } = await withDraft();
    await post('agentroles', { name: 'release-writer', spec: writer.spec });
    const made = await post('agentworkflows', { name: 'market', from: 'go-to-market' });
    expect(made.status).toBe(201);
    expect(await made.json()).toMatchObject({ name: 'market', spec: catalogAgentWorkflows['go-to-market'] });
    expect((await post('agentworkflows', { name: 'hydrate', from: 'issue-hydration' })).status).toBe(201);
    const roles = (await (await request('/v1/orgs/acme/agentroles')).json()) as {
      items: { name: string; spec: object }[];
    };
    expect(roles.items.map(({ name }) => name)).toEqual(['issue-hydrator', 'release-writer', 'writer']);
    expect(roles.items.find(({ name }) => name === 'release-writer')?.spec).toEqual(writer.spec);
  });

  it('422: come from one place, and from a catalog that is there', async () => {
    const { post } = await withDraft();
    const refused = async (body: object) =>
      ((await (await post('agentworkflows', body)).json()) as { errors: object }).errors;
    expect(await refused({ name: 'x' })).toEqual([
      { pointer: '/spec', detail: expect.stringContaining('quick-change') },
    ]);
    expect(await refused({ ...draft, from: 'change' })).toMatchObject([{ pointer: '/from' }]);
    expect(await refused({ name: 'x', from: 'none' })).toMatchObject([{ pointer: '/from' }]);
  });

  it('409: refuse a stale version, and to lose a role in use', async () => {
    const { request, view } = await withDraft();
    const put = async () =>
      request('/v1/orgs/acme/agentworkflows/draft', {
        method: 'PUT',
        body: { spec: { ...draft.spec, enabled: false }, resourceVersion: view.resourceVersion },
      });
    expect((await put()).status).toBe(200);
    expect((await put()).status).toBe(409);
    expect((await request('/v1/orgs/acme/agentroles/writer', { method: 'DELETE' })).status).toBe(409);
  });

  it('204: go, unless they have changed since', async () => {
    const { request, view } = await withDraft();
    const remove = async (version: string) =>
      (
        await request('/v1/orgs/acme/agentworkflows/draft', {
          method: 'DELETE',
          headers: { 'If-Match': `"${version}"` },
        })
      ).status;
    expect(await remove('1')).toBe(409);
    expect(await remove(view.resourceVersion)).toBe(204);
    expect(await remove(view.resourceVersion)).toBe(404);
  });
});
