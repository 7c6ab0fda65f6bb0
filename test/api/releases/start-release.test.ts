import type { Client } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { expect, it } from 'vitest';
import { SecretKind, toSecretData } from '../../../src/kinds/kubernetes.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { createFolder, pushBranch, registerApp, startTestCodehost } from '../../emulators/codehost/codehost-fixture.ts';
import { startApi } from '../../support/start-api.ts';
import { createStartingTemporal } from '../temporal/start-fixture.ts';

/** Creates the Product "shop" on a code host, and a Release that Temporal starts. */
async function createShop(temporal: Client) {
  const codehost = await startTestCodehost();
  await codehost.seedRepository('acme/shop', await createFolder({ 'README.md': 'shop\n' }));
  const { app } = await registerApp(codehost);
  const { request, store } = await startApi({ role: 'org-admin', codehostApiUrl: codehost.apiUrl, temporal });
  const data = toSecretData({ 'app-id': String(app.id), 'private-key': app.pem });
  await store.create(SecretKind, { metadata: { namespace: 'org-acme', name: 'codehost-app' }, type: 'Opaque', data });
  const post = async (path: string, body: object, headers = {}): Promise<Response> =>
    await request(`/v1/orgs/acme/${path}`, { method: 'POST', body, headers });
  await post('products', { name: 'shop', spec: { repos: ['acme/shop'] } });
  const metadata = { namespace: 'org-acme', name: 'shop-v1.0.0' };
  const spec = { product: 'shop', repo: 'acme/shop', commit: 'c', version: 'v1.0.0', startedBy: 'jo' };
  const { resourceVersion } = (await store.create(ReleaseKind, { metadata, spec })).metadata;
  return { codehost, post, resourceVersion };
}

it('201: starts the Release of the named commit, or of the default branch', async () => {
  const { temporal, started } = createStartingTemporal({ release: 'shop-v1.0.0' });
  const { post, resourceVersion } = await createShop(temporal);
  const response = await post('releases', { product: 'shop' });
  expect(response.status).toBe(201);
  expect(response.headers.get('Location')).toBe('/api/v1/orgs/acme/releases/shop-v1.0.0');
  expect(response.headers.get('ETag')).toContain(resourceVersion);
  expect(await response.json()).toMatchObject({ name: 'shop-v1.0.0' });
  const head = started[0]?.workflowId.split('/').at(-1) ?? '';
  expect(head).toMatch(/^[0-9a-f]{40}$/);
  expect((await post('releases', { product: 'shop', commit: head })).status).toBe(201);
  expect(started.map(({ workflowId }) => workflowId)).toEqual(
    Array.from({ length: 2 }, () => `promote-release/acme/shop/${head}`),
  );
  expect((await post('releases', { product: 'shop', commit: 'f'.repeat(40) })).status).toBe(404);
}, 60_000);

it('201: returns the Release of an attempt whose response was lost, also after another push', async () => {
  const running = { startedBy: 'none' };
  const { temporal } = createStartingTemporal({ release: 'shop-v1.0.0' }, running);
  const started: string[] = [];
  type Start = { startWorkflowOperation: { options: { workflowId: string; memo: { requestId: string } } } };
  const executeUpdateWithStart = async (_: unknown, { startWorkflowOperation: { options } }: Start) => {
    started.push(options.workflowId);
    if (running.startedBy === options.memo.requestId)
      throw new WorkflowExecutionAlreadyStartedError('It runs.', options.workflowId, 'any');
    running.startedBy = options.memo.requestId;
    throw new Error('The response was lost.');
  };
  Object.assign(temporal.workflow, { executeUpdateWithStart });
  const { codehost, post } = await createShop(temporal);
  const start = async (): Promise<number> =>
    (await post('releases', { product: 'shop' }, { 'Idempotency-Key': 'one' })).status;
  expect(await start()).toBe(500);
  await pushBranch(codehost, { token: codehost.userToken, branch: 'main', files: { 'README.md': 'Another shop.\n' } });
  expect(await start()).toBe(201);
  expect(started).toHaveLength(2);
  expect(new Set(started).size).toBe(1);
}, 60_000);
