import { describe, expect, it, onTestFinished } from 'vitest';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import {
  type ImageRegistry,
  imageRegistryRef,
  readImageRegistry,
  toImageRegistryData,
} from '../../../src/rules/registries/image-registry.ts';
import { imagesRegistry as images } from '../../support/registries/images-registry.ts';
import { itWithRegistry, startRegistry } from '../../support/servers/registry.ts';
import { createTestDispatcher } from '../../support/servers/test-dispatcher.ts';
import { startApi } from '../../support/start-api.ts';
import { captureUpdates } from '../../support/workflows/capture-updates.ts';

const path = '/v1/installation/image-registry';
const account = { username: 'ada', password: 'correct-horse' };
const ofEnvironment: ImageRegistry = {
  push: { ...images, name: 'push', host: 'old.test' },
  pull: { ...images, name: 'pull', host: 'old.test', username: 'zones' },
  previous: [],
};

async function start() {
  const judged = createTestDispatcher('127.0.0.1');
  onTestFinished(async () => await judged.destroy());
  const { temporal, signals } = captureUpdates();
  const api = await startApi({ role: 'platform-admin', judged, temporal });
  const call = async (method: string, body?: object, headers = {}) => {
    const response = await api.request(path, { method, headers, via: 'session', ...(body && { body }) });
    const text = await response.text();
    expect(text).not.toContain('correct-horse');
    return { status: response.status, body: (text && JSON.parse(text)) as { previous?: unknown } };
  };
  const save = async (settings: ImageRegistry) =>
    await api.store.create(SecretKind, { metadata: imageRegistryRef, data: toImageRegistryData(settings) });
  /** Adds a Product whose zone runs an image. */
  const run = async (imageRepository: string) => {
    const metadata = { namespace: 'org-acme', name: 'shop' };
    await api.store.create(ProductKind, { metadata, spec: { repos: ['acme/shop'], delivery: { zones: [] } } });
    const zones = [{ name: 'shop-rc', release: 'shop-1', imageRepository }];
    await api.store.updateStatus(ProductKind, metadata, ({ status }) => ({ ...status, zones }));
  };
  const read = async () => readImageRegistry(await api.store.find(SecretKind, imageRegistryRef));
  return { ...api, call, save, run, read, signals };
}

describe('getImageRegistry', () => {
  it('200: returns the registry of the environment until another one is set', async () => {
    const { call } = await start();
    expect(await call('GET')).toMatchObject({
      status: 200,
      body: {
        source: 'environment',
        repository: 'registry.local/{org}/{product}',
        previous: [],
        actions: [
          { name: 'putImageRegistry', allowed: true },
          { name: 'deleteImageRegistry', allowed: false, reason: 'state-conflict' },
        ],
      },
    });
  });

  it('200: tells a token that changes require a session', async () => {
    const { request, save } = await start();
    await save(ofEnvironment);
    expect(await (await request(path)).json()).toMatchObject({
      source: 'settings',
      host: 'old.test',
      pull: { username: 'zones' },
      actions: [
        { name: 'putImageRegistry', allowed: false, reason: 'role-insufficient' },
        { name: 'deleteImageRegistry', allowed: false, reason: 'role-insufficient' },
      ],
    });
  });
});

describe('putImageRegistry', () => {
  itWithRegistry('200: saves accounts that the registry accepts, and gives them to every org', async () => {
    const { host } = await startRegistry();
    const { call, read, request, signals } = await start();
    const saved = await call('PUT', { host, repositoryPrefix: 'delivery', push: account, pull: account });
    const lastCheck = { access: 'pull-and-push', at: expect.any(String) };
    expect(saved).toMatchObject({
      status: 200,
      body: {
        source: 'settings',
        repository: `${host}/delivery/{org}/{product}`,
        host,
        repositoryPrefix: 'delivery',
        push: { username: 'ada', lastCheck },
        pull: { username: 'ada', lastCheck },
        use: 'cluster',
      },
    });
    expect((await call('GET')).body).toEqual(saved.body);
    expect(await read()).toMatchObject({ push: { host, ...account }, pull: { host, ...account } });
    expect(signals.length).toBeGreaterThan(0);
    const entries = await (await request('/v1/audit')).text();
    expect(entries).toMatch(/"field":"data.pull.password","after":"fingerprint [0-9a-f]{16}"/);
    expect(entries).not.toContain(Buffer.from('correct-horse').toString('base64'));
  });

  itWithRegistry('200: keeps the stored passwords for the same host', async () => {
    const { host } = await startRegistry();
    const { call, save, read } = await start();
    await save({ push: { ...images, host }, pull: { ...images, host }, previous: [] });
    const { username } = account;
    const body = { host, repositoryPrefix: 'delivery', push: { username }, pull: { username } };
    expect((await call('PUT', body)).status).toBe(200);
    expect(await read()).toMatchObject({ push: account, pull: { ...account, repositoryPrefix: 'delivery' } });
  });

  itWithRegistry('200: keeps the account of an earlier registry while zones run its images', async () => {
    const { host } = await startRegistry();
    const { call, save, run, read } = await start();
    await save({ ...ofEnvironment, previous: [{ ...images, host: 'older.test' }] });
    await run('old.test/acme/acme/shop');
    const body = { host, repositoryPrefix: 'delivery', push: account, pull: account };
    expect((await call('PUT', body)).body.previous).toEqual([{ host: 'old.test', repositoryPrefix: 'acme' }]);
    expect((await call('PUT', body)).body.previous).toEqual([{ host: 'old.test', repositoryPrefix: 'acme' }]);
    expect((await read())?.previous).toMatchObject([{ host: 'old.test', username: 'zones' }]);
  });

  itWithRegistry.for(['push', 'pull'] as const)('422: names the wrong account: %s', async (use) => {
    const { host } = await startRegistry();
    const { call, read } = await start();
    const body = { host, repositoryPrefix: 'delivery', push: account, pull: account };
    expect(await call('PUT', { ...body, [use]: { username: 'ada', password: 'wrong' } })).toMatchObject({
      status: 422,
      body: { reason: 'registry-setting-invalid', errors: [{ pointer: `/${use}/password` }] },
    });
    expect(await call('PUT', { ...body, [use]: { username: 'ada' } })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: `/${use}/password`, detail: 'is missing' }] },
    });
    expect(await read()).toBeUndefined();
  });
});

describe('deleteImageRegistry', () => {
  it('204: returns to the registry of the environment, once no zone runs an image of it', async () => {
    const { call, save, run, store, signals } = await start();
    expect((await call('DELETE')).status).toBe(404);
    await save(ofEnvironment);
    await run('old.test/acme/acme/shop');
    expect(await call('DELETE')).toMatchObject({
      status: 409,
      body: { reason: 'registry-in-use', detail: expect.stringContaining('old.test/acme') },
    });
    await store.delete(ProductKind, { namespace: 'org-acme', name: 'shop' });
    expect((await call('DELETE')).status).toBe(204);
    expect((await call('GET')).body).toMatchObject({ source: 'environment' });
    expect(signals.length).toBeGreaterThan(0);
  });

  it('409: keeps the accounts of earlier registries whose images zones run', async () => {
    const { call, save, run } = await start();
    await save({ ...ofEnvironment, previous: [{ ...images, host: 'older.test' }] });
    await run('older.test/acme/acme/shop');
    expect((await call('DELETE')).status).toBe(409);
  });
});
