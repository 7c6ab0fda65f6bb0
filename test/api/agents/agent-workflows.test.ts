import { describe, expect, it } from 'vitest';
import { defaultAgentWorkflows } from '../../../src/rules/agents/default-workflows.ts';
import { AgentWorkflowKind } from '../../../src/rules/agents/kinds.ts';
import { triggersSinceAnnotation } from '../../../src/rules/intake/triggers-since.ts';
import { draft, step, withDraft, writer } from './agents-fixture.ts';

describe('listAgentWorkflows', () => {
  it('200: returns the AgentWorkflows of the org', async () => {
    const { request } = await withDraft();
    const response = await request('/v1/orgs/acme/agentworkflows', { role: 'viewer' });
    expect(await response.json()).toMatchObject({
      items: [{ kind: 'AgentWorkflow', name: 'draft', spec: draft.spec }],
    });
  });
});

describe('getAgentWorkflow', () => {
  it('200: returns the created AgentWorkflow with its ETag', async () => {
    const { created, request } = await withDraft();
    expect(created.headers.get('Location')).toBe('/api/v1/orgs/acme/agentworkflows/draft');
    const read = await request('/v1/orgs/acme/agentworkflows/draft');
    expect(read.headers.get('ETag')).toMatch(/^"\d+\.[\w-]+"$/);
    expect(await read.json()).toMatchObject({ kind: 'AgentWorkflow', name: 'draft', org: 'acme', spec: draft.spec });
  });

  it('404: names the missing AgentWorkflow', async () => {
    const { request } = await withDraft();
    const response = await request('/v1/orgs/acme/agentworkflows/missing');
    expect(await response.json()).toMatchObject({
      status: 404,
      detail: 'No AgentWorkflow named "missing" in org "acme".',
    });
  });
});

describe('a version of an AgentWorkflow', () => {
  it('200: is replaced by its ETag, that of its creation too; 412: is neither replaced nor deleted by an earlier one', async () => {
    const { created, request } = await withDraft();
    const send = async (method: string, tag: string | null) => {
      const body = method === 'PUT' ? { spec: { ...draft.spec, enabled: false } } : undefined;
      const headers = { 'If-Match': tag ?? '' };
      return await request('/v1/orgs/acme/agentworkflows/draft', { method, body, headers });
    };
    const etag = created.headers.get('ETag');
    const replaced = await send('PUT', etag);
    expect(replaced.status).toBe(200);
    expect((await send('PUT', etag)).status).toBe(412);
    expect((await send('DELETE', etag)).status).toBe(412);
    expect((await send('DELETE', replaced.headers.get('ETag'))).status).toBe(204);
  });
});

describe('createAgentWorkflow', () => {
  it('201: copies a template and creates its missing AgentRoles', async () => {
    const { post, request } = await withDraft();
    await post('agentroles', { name: 'release-writer', spec: writer.spec });
    const created = await post('agentworkflows', { name: 'market', template: 'go-to-market' });
    expect(created.status).toBe(201);
    expect(await created.json()).toMatchObject({ name: 'market', spec: defaultAgentWorkflows['go-to-market'] });
    expect((await post('agentworkflows', { name: 'hydrate', template: 'issue-hydration' })).status).toBe(201);
    const roles = (await (await request('/v1/orgs/acme/agentroles')).json()) as {
      items: { name: string; spec: object }[];
    };
    expect(roles.items.map(({ name }) => name)).toEqual(['issue-hydrator', 'release-writer', 'writer']);
    expect(roles.items.find(({ name }) => name === 'release-writer')?.spec).toEqual(writer.spec);
  });

  it('422: requires either a spec or an existing template', async () => {
    const { post } = await withDraft();
    const refused = async (body: object) =>
      ((await (await post('agentworkflows', body)).json()) as { errors: object }).errors;
    expect(await refused({ name: 'x' })).toEqual([
      { pointer: '/spec', detail: expect.stringContaining('quick-change') },
    ]);
    expect(await refused({ ...draft, template: 'change' })).toEqual([
      { pointer: '/template', detail: 'cannot be combined with spec: omit one of them' },
    ]);
    expect(await refused({ name: 'x', template: 'none' })).toMatchObject([{ pointer: '/template' }]);
  });

  it('422: rejects a branch glob with more than three wildcards or with an unsupported one', async () => {
    const { post } = await withDraft();
    const send = async (glob: string) =>
      (await (
        await post('agentworkflows', {
          ...draft,
          spec: { ...draft.spec, triggers: [{ type: 'onChange', branches: [glob] }] },
        })
      ).json()) as object;
    for (const glob of ['*a*a*a*b', 'v[0-9]', '{main,dev}'])
      expect(await send(glob)).toMatchObject({
        status: 422,
        errors: [
          { pointer: '/spec/triggers/0/branches/0', detail: expect.stringContaining('at most three wildcards') },
        ],
      });
    expect(await send('release/**')).not.toMatchObject({ status: 422 });
  });

  it('422: points at a step with an unknown AgentRole', async () => {
    const { post } = await withDraft();
    const response = await post('agentworkflows', {
      name: 'x',
      spec: { ...draft.spec, steps: [step, { ...step, name: 'b', role: 'ghost' }] },
    });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ errors: [{ pointer: '/spec/steps/1/role' }] });
  });

  it('422: points at an unknown property of a step', async () => {
    const { post } = await withDraft();
    const response = await post('agentworkflows', {
      name: 'x',
      spec: { ...draft.spec, steps: [{ ...step, colour: 'red' }] },
    });
    expect(await response.json()).toMatchObject({ status: 422, errors: [{ pointer: '/spec/steps/0/colour' }] });
  });
});

describe('replaceAgentWorkflow', () => {
  it('409: rejects a stale version', async () => {
    const { request, view } = await withDraft();
    const put = async () =>
      request('/v1/orgs/acme/agentworkflows/draft', {
        method: 'PUT',
        body: { spec: { ...draft.spec, enabled: false }, resourceVersion: view.resourceVersion },
      });
    expect((await put()).status).toBe(200);
    expect((await put()).status).toBe(409);
  });

  it('200: records since when it has its triggers, so that no earlier event starts a run', async () => {
    const { request, store } = await withDraft();
    const read = async () => (await store.get(AgentWorkflowKind, { namespace: 'org-acme', name: 'draft' })).metadata;
    const replace = async (spec: object): Promise<string | undefined> => {
      const body = { spec: { ...draft.spec, ...spec }, resourceVersion: (await read()).resourceVersion };
      expect((await request('/v1/orgs/acme/agentworkflows/draft', { method: 'PUT', body })).status).toBe(200);
      return (await read()).annotations?.[triggersSinceAnnotation];
    };
    expect(await replace({ description: 'No trigger.' })).toBeUndefined();
    const triggers = [{ type: 'event', event: 'issue.opened' }];
    const since = await replace({ triggers });
    expect(since).toEqual(expect.any(String));
    expect(await replace({ triggers, description: 'One trigger.' })).toBe(since);
  });
});

describe('deleteAgentWorkflow', () => {
  it('204: deletes the version of If-Match; 412: rejects a stale version', async () => {
    const { request, view } = await withDraft();
    const remove = async (version: string) =>
      (
        await request('/v1/orgs/acme/agentworkflows/draft', {
          method: 'DELETE',
          headers: { 'If-Match': `"${version}"` },
        })
      ).status;
    expect(await remove('1')).toBe(412);
    expect(await remove(view.resourceVersion)).toBe(204);
    expect(await remove(view.resourceVersion)).toBe(404);
  });
});
