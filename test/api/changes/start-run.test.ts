import { describe, expect, it } from 'vitest';
import { ConfigMapKind, SecretKind } from '../../../src/kinds/kubernetes.ts';
import { registerApp, startTestCodehost, createFolder, pushBranch } from '../../emulators/codehost/codehost-fixture.ts';
import { withAcceptedCondition } from '../../../src/rules/conditions.ts';
import { AgentWorkflowKind } from '../../../src/rules/agents/kinds.ts';
import { runName } from '../../../src/rules/changes/run-names.ts';
import { requestLabels } from '../../../src/rules/expiry.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import type { Store } from '../../../src/store/store.ts';
import { startApi } from '../../support/start-api.ts';
import { createStartingTemporal } from '../temporal/start-fixture.ts';
import { aRun } from './runs-fixture.ts';

/** Creates the Product "shop" with issue 1 and pull requests 2 (open), 3 (closed) and 4 (merged). */
async function createShop(options: Parameters<typeof startApi>[0] = {}) {
  const codehost = await startTestCodehost();
  await codehost.seedRepository('acme/shop', await createFolder({ 'README.md': 'shop\n' }));
  const { app } = await registerApp(codehost);
  const write = async (method: string, path: string, body: object): Promise<void> => {
    const headers = { authorization: `token ${codehost.userToken}` };
    const url = `${codehost.apiUrl}/repos/acme/shop${path}`;
    const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
    expect(response.ok).toBe(true);
  };
  await write('POST', '/issues', { title: 'An issue' });
  for (const branch of ['open', 'closed', 'merged']) {
    await pushBranch(codehost, { token: codehost.userToken, branch, files: { [branch]: 'text\n' } });
    await write('POST', '/pulls', { title: branch, head: branch, base: 'main' });
  }
  await write('PATCH', '/pulls/3', { state: 'closed' });
  await write('PUT', '/pulls/4/merge', {});

  const { request, store } = await startApi({ role: 'org-admin', codehostApiUrl: codehost.apiUrl, ...options });
  const data = { 'app-id': encoded(String(app.id)), 'private-key': encoded(app.pem) };
  await store.create(SecretKind, { metadata: { namespace: 'org-acme', name: 'codehost-app' }, type: 'Opaque', data });
  const post = async (path: string, body: object, headers = {}): Promise<Response> =>
    await request(`/v1/orgs/acme/${path}`, { method: 'POST', body, headers });
  await post('products', { name: 'shop', spec: { repos: ['acme/shop'] } });
  await post('agentroles', { name: 'writer', spec: { responsibilities: ['Write.'] } });
  const steps = [{ name: 'write', type: 'agent', role: 'writer', mode: 'report' }];
  await post('agentworkflows', { name: 'change', spec: { enabled: true, triggers: [], steps } });
  const commenting = [{ ...steps[0], deliver: 'issue' }];
  await post('agentworkflows', { name: 'hydrate', spec: { enabled: true, triggers: [], steps: commenting } });
  const start = async (target: object, headers = {}) => {
    const response = await post('agentworkflowruns', { agentWorkflow: 'change', product: 'shop', ...target }, headers);
    return { status: response.status, problem: (await response.json()) as object };
  };
  return { store, start, write };
}
/** Deletes the stored responses of requests, and keeps what the requests decided. */
async function forgetResponses(store: Store): Promise<void> {
  const { items } = await store.list(ConfigMapKind, { namespace: 'org-acme', labels: requestLabels });
  for (const { metadata, data } of items)
    if (data?.['response'] !== undefined) await store.delete(ConfigMapKind, metadata);
}
const encoded = (text: string): string => Buffer.from(text).toString('base64');

describe('startRun', () => {
  it('404, 422: requires one target that exists and, as a pull request, is open', async () => {
    const { start } = await createShop();
    // The request is valid and reaches Temporal, which is unavailable.
    expect(await start({ issue: 1 })).toMatchObject({ status: 503 });
    expect(await start({ pullRequest: 2 })).toMatchObject({ status: 503 });
    expect(await start({ target: { number: 2, kind: 'pull-request' } })).toMatchObject({ status: 503 });
    expect(await start({ issue: 1, agentWorkflow: 'hydrate' })).toMatchObject({ status: 503 });
    expect(await start({ issue: 9 })).toMatchObject({ status: 404 });
    expect(await start({ pullRequest: 1 })).toMatchObject({ status: 404 });
    expect(await start({ pullRequest: 9 })).toMatchObject({ status: 404 });
    expect(await start({ pullRequest: 3 })).toMatchObject({
      status: 422,
      problem: { detail: expect.stringContaining('#3 of acme/shop is closed'), errors: [{ pointer: '/pullRequest' }] },
    });
    expect(await start({ pullRequest: 4 })).toMatchObject({
      status: 422,
      problem: { detail: expect.stringContaining('#4 of acme/shop is merged') },
    });
    expect(await start({ pullRequest: 2, issue: 1 })).toMatchObject({
      status: 422,
      problem: { errors: [{ pointer: '/pullRequest', detail: 'cannot be combined with issue: omit one of them' }] },
    });
    expect(await start({ target: { number: 1 }, issue: 1 })).toMatchObject({
      status: 422,
      problem: { errors: [{ pointer: '/issue' }] },
    });
  });

  it('201: returns the run of an attempt whose response was lost, although its target and Product changed since', async () => {
    const target = { repo: 'acme/shop', number: 2, kind: 'pull-request' as const };
    const name = runName({ agentWorkflow: 'change', product: 'shop', target, seed: 'first-run-1a2b3c4d' });
    const running = { startedBy: 'none', firstRunId: 'first-run-1a2b3c4d' };
    const { temporal } = createStartingTemporal({ run: name }, running);
    type Start = { startWorkflowOperation: { options: { memo: { requestId: string } } } };
    const executeUpdateWithStart = async (_: unknown, { startWorkflowOperation: { options } }: Start) => {
      running.startedBy = options.memo.requestId;
      return await Promise.reject(new Error('The response was lost.'));
    };
    Object.assign(temporal.workflow, { executeUpdateWithStart });
    const { store, start, write } = await createShop({ temporal });
    const key = { 'Idempotency-Key': 'one' };
    expect(await start({ pullRequest: 2 }, key)).toMatchObject({ status: 500 });
    await aRun(store, name, { phase: 'Running' });
    await write('PUT', '/pulls/2/merge', {});
    expect(await start({ pullRequest: 2 }, key)).toMatchObject({ status: 201, problem: { name } });
    expect(await start({ pullRequest: 2 }, { 'Idempotency-Key': 'two' })).toMatchObject({ status: 422 });
    // The API keeps the response that it could send; without it, the attempt that was interrupted is repeated.
    await forgetResponses(store);
    const product = await store.get(ProductKind, { namespace: 'org-acme', name: 'shop' });
    await store.replace(ProductKind, { ...product, spec: { ...product.spec, repos: ['acme/shop', 'acme/other'] } });
    await store.delete(AgentWorkflowKind, { namespace: 'org-acme', name: 'change' });
    expect(await start({ pullRequest: 2 }, key)).toMatchObject({ status: 201, problem: { name } });
  });

  it('422: requires a repo of the Product, a task and an AgentWorkflow that is valid', async () => {
    const { request, store } = await startApi({ role: 'org-admin' });
    await request('/v1/orgs/acme/products', {
      method: 'POST',
      body: { name: 'shop', spec: { repos: ['acme/shop', 'acme/api'] } },
    });
    await request('/v1/orgs/acme/agentroles', {
      method: 'POST',
      body: { name: 'writer', spec: { responsibilities: ['Write.'] } },
    });
    const steps = [{ name: 'write', type: 'agent', role: 'writer', mode: 'report' }];
    await request('/v1/orgs/acme/agentworkflows', {
      method: 'POST',
      body: { name: 'change', spec: { enabled: true, triggers: [], steps } },
    });
    const start = async (body: object) =>
      request('/v1/orgs/acme/agentworkflowruns', {
        method: 'POST',
        body: { agentWorkflow: 'change', product: 'shop', ...body },
      });
    expect(await (await start({})).json()).toMatchObject({ status: 422, errors: [{ pointer: '/issue' }] });
    expect(await (await start({ issue: 1 })).json()).toMatchObject({
      status: 422,
      errors: [{ pointer: '/target/repo' }],
    });
    expect(await (await start({ target: { repo: 'acme/other', number: 1 } })).json()).toMatchObject({
      status: 422,
      errors: [{ pointer: '/target/repo' }],
    });
    for (const [instructions, pointer] of [
      [' ', '/instructions'],
      ['?', '/target/repo'],
    ])
      expect(await (await start({ instructions })).json()).toMatchObject({ status: 422, errors: [{ pointer }] });
    expect((await start({ issue: 1, agentWorkflow: 'none' })).status).toBe(404);
    // A client of the Kubernetes API has changed it.
    const workflow = await store.get(AgentWorkflowKind, { namespace: 'org-acme', name: 'change' });
    await store.replace(AgentWorkflowKind, { ...workflow, spec: { ...workflow.spec, steps: [] } });
    const conditions = withAcceptedCondition([], { rejection: 'No.', generation: 2, at: '2026-01-01T00:00:00.000Z' });
    await store.updateStatus(AgentWorkflowKind, workflow.metadata, () => ({ conditions }));
    expect(await (await start({ issue: 1 })).json()).toMatchObject({
      status: 422,
      errors: [{ pointer: '/agentWorkflow' }],
    });
  });

  it('422: requires only a repo to start a scheduled AgentWorkflow manually', async () => {
    const { request } = await startApi({ role: 'org-admin' });
    const post = async (path: string, body: object) => request(`/v1/orgs/acme/${path}`, { method: 'POST', body });
    const spec = { repos: ['acme/shop', 'acme/api'] };
    await post('products', { name: 'shop', spec });
    await post('products', { name: 'empty', spec: { repos: [] } });
    await post('agentroles', { name: 'writer', spec: { responsibilities: ['Write.'] } });
    const steps = [{ name: 'write', type: 'agent', role: 'writer', mode: 'report' }];
    const triggers = [{ type: 'cron', schedule: '0 9 * * *' }];
    await post('agentworkflows', { name: 'upkeep', spec: { enabled: false, triggers, steps } });
    // The request is valid and reaches Temporal, which is unavailable.
    expect((await post('agentworkflowruns', { agentWorkflow: 'upkeep', product: 'shop' })).status).toBe(503);
    const targeted = { agentWorkflow: 'upkeep', product: 'shop', target: { repo: 'acme/other', number: 1 } };
    expect((await post('agentworkflowruns', targeted)).status).toBe(422);
    const empty = await post('agentworkflowruns', { agentWorkflow: 'upkeep', product: 'empty' });
    expect(await empty.json()).toMatchObject({ status: 422, errors: [{ pointer: '/target/repo' }] });
  });
});

it('201: starts a run on instructions, which no message to a workflow carries', async () => {
  const { temporal, started } = createStartingTemporal({ run: 'run-1' });
  const { request, store, blobs } = await startApi({ role: 'org-admin', temporal });
  const post = async (path: string, body: object): Promise<Response> =>
    await request(`/v1/orgs/acme/${path}`, { method: 'POST', body });
  await post('products', { name: 'shop', spec: { repos: ['acme/shop'] } });
  await post('agentroles', { name: 'writer', spec: { responsibilities: ['Write.'] } });
  const steps = [{ name: 'write', type: 'agent', role: 'writer', mode: 'report' }];
  await post('agentworkflows', { name: 'change', spec: { enabled: true, triggers: [], steps } });
  await aRun(store, 'run-1', { phase: 'Pending' });
  const instructions = 'Rename the shop.';
  const response = await post('agentworkflowruns', { agentWorkflow: 'change', product: 'shop', instructions });
  expect(response.status).toBe(201);
  expect(response.headers.get('Location')).toBe('/api/v1/orgs/acme/agentworkflowruns/run-1');
  expect(response.headers.get('ETag')).not.toBeNull();
  expect(await response.json()).toMatchObject({ name: 'run-1' });
  expect(started).toHaveLength(1);
  expect(JSON.stringify(started)).not.toContain('Rename');
  const [key = ''] = await blobs.list('requests/');
  expect(Buffer.from((await blobs.find(key)) ?? '').toString()).toBe(instructions);
  const commenting = [{ ...steps[0], name: 'comment', deliver: 'issue' }];
  await post('agentworkflows', { name: 'hydrate', spec: { enabled: true, triggers: [], steps: commenting } });
  const refused = await post('agentworkflowruns', { agentWorkflow: 'hydrate', product: 'shop', instructions });
  expect(await refused.json()).toMatchObject({ status: 422, errors: [{ pointer: '/issue' }] });
});
