import { describe, expect, it, onTestFinished } from 'vitest';
import { readSecretText, SecretKind } from '../../../src/kinds/kubernetes.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { registriesSecretName, toRegistriesData } from '../../../src/rules/registries/registries-secret.ts';
import { registriesMax } from '../../../src/rules/registries/registry.ts';
import { itWithRegistry, startRegistry } from '../../support/servers/registry.ts';
import { createTestDispatcher } from '../../support/servers/test-dispatcher.ts';
import { forgetResponses } from '../../support/forget-responses.ts';
import { startApi } from '../../support/start-api.ts';
import { captureUpdates } from '../../support/workflows/capture-updates.ts';

const path = '/v1/orgs/acme/registries';
const ref = { namespace: 'org-acme', name: registriesSecretName };
const account = { username: 'ada', password: 'correct-horse' };
const lastCheck = { access: 'signed-in' as const, at: '2026-11-25T08:00:00.000Z' };
const stored = (name: string, host: string, repositoryPrefix?: string) => ({
  name,
  host,
  repositoryPrefix,
  ...account,
  lastCheck,
});

async function start(options: Parameters<typeof startApi>[0] = {}) {
  const judged = createTestDispatcher('127.0.0.1');
  onTestFinished(async () => await judged.destroy());
  const lines: object[] = [];
  const log = { debug: () => {}, info: () => {}, warn: (fields: object) => void lines.push(fields), error: () => {} };
  const api = await startApi({ role: 'org-admin', judged, log, ...options });
  const call = async (method: string, name: string, body?: object, headers = {}) => {
    const at = name === '' ? path : `${path}/${name}`;
    const response = await api.request(at, { method, headers, ...(body && { body }) });
    const text = await response.text();
    expect(text).not.toContain('correct-horse');
    expect(text).not.toContain('battery-staple');
    return { status: response.status, headers: response.headers, body: (text && JSON.parse(text)) as unknown };
  };
  const save = async (...registries: ReturnType<typeof stored>[]) =>
    await api.store.create(SecretKind, { metadata: ref, type: 'Opaque', data: toRegistriesData(registries) });
  const addProduct = async (registry?: string) =>
    await api.store.create(ProductKind, {
      metadata: { namespace: 'org-acme', name: 'shop' },
      spec: { repos: ['acme/shop'], delivery: { zones: [], ...(registry !== undefined && { registry }) } },
    });
  const readPassword = async (name: string) => readSecretText(await api.store.get(SecretKind, ref), `${name}.password`);
  return { ...api, call, save, addProduct, readPassword, lines };
}

describe('createRegistry', () => {
  itWithRegistry('201: signs in, stores the password as a secret, and shows it only as a fingerprint', async () => {
    const { host } = await startRegistry();
    const now = new Date('2026-11-25T09:00:00Z');
    const { call, readPassword, request, lines } = await start({ now: () => now });
    const created = await call('POST', '', { name: 'images', host, repositoryPrefix: 'acme', ...account });
    expect(created).toMatchObject({
      status: 201,
      body: {
        name: 'images',
        org: 'acme',
        host,
        repositoryPrefix: 'acme',
        username: 'ada',
        lastCheck: { access: 'pull-and-push', at: now.toISOString() },
        use: 'cluster',
        actions: [
          { name: 'putRegistry', allowed: true },
          { name: 'deleteRegistry', allowed: true },
        ],
      },
    });
    expect(created.headers.get('location')).toBe(`/api${path}/images`);
    expect((await call('GET', 'images')).body).toEqual(created.body);
    expect((await call('GET', '')).body).toEqual({ items: [created.body] });
    expect(await readPassword('images')).toBe('correct-horse');
    // Without Temporal, the credentials are handed out by the next refresh.
    expect(lines).toEqual([{ org: 'acme', reason: 'workflow-server-unreachable' }]);
    const entries = await (await request('/v1/orgs/acme/audit')).text();
    expect(entries).toMatch(/"field":"data.images.password","after":"fingerprint [0-9a-f]{16}"/);
    expect(entries).not.toContain('correct-horse');
    expect(entries).not.toContain(Buffer.from('correct-horse').toString('base64'));
  });

  itWithRegistry('201: completes a request that was interrupted, for its own Idempotency-Key only', async () => {
    const { host } = await startRegistry();
    const { temporal, signals } = captureUpdates();
    const { call, store } = await start({ temporal });
    const create = async (key: string) =>
      await call('POST', '', { name: 'images', host, ...account }, { 'Idempotency-Key': key });
    expect((await create('one')).status).toBe(201);
    signals.length = 0;
    await forgetResponses(store);
    expect((await create('two')).status).toBe(409);
    const completed = await create('one');
    expect([completed.status, completed.headers.get('Idempotent-Replayed')]).toEqual([201, null]);
    expect(signals).toHaveLength(1);
    expect((await call('GET', '')).body).toEqual({ items: [completed.body] });
  });

  itWithRegistry('422: stores nothing that the registry rejects', async () => {
    const { host } = await startRegistry();
    const { call, store } = await start();
    const refused = await call('POST', '', { name: 'images', host, ...account, password: 'battery-staple' });
    expect(refused.body).toMatchObject({
      status: 422,
      reason: 'registry-setting-invalid',
      errors: [{ pointer: '/password' }],
    });
    expect(await store.find(SecretKind, ref)).toBeUndefined();
  });

  it('422: reaches no host inside the network', async () => {
    const { call } = await start({ judged: createTestDispatcher() });
    const refused = await call('POST', '', { name: 'images', host: '127.0.0.1:5000', ...account });
    expect(refused.body).toMatchObject({ status: 422, errors: [{ pointer: '/host' }] });
  });

  it.each([
    ['host', 'https://registry.example.com'],
    ['host', 'registry.example.com/acme'],
    ['host', 'registry.example.com:70000'],
    ['host', 'user@registry.example.com'],
    ['repositoryPrefix', '/acme'],
    ['repositoryPrefix', 'acme/../other'],
    ['username', 'a:b'],
    ['password', ''],
  ])('422: names the field %s for "%s"', async (field, value) => {
    const { call } = await start();
    const body = { name: 'images', host: 'registry.example.com', repositoryPrefix: 'acme', ...account, [field]: value };
    expect((await call('POST', '', body)).body).toMatchObject({ status: 422, errors: [{ pointer: `/${field}` }] });
  });

  it.each(['harbor', 'harbor:443'])(
    '422: refuses %s, whose images container tools look for at Docker Hub',
    async (host) => {
      const { call } = await start();
      expect(
        (await call('POST', '', { name: 'images', host, repositoryPrefix: 'acme', ...account })).body,
      ).toMatchObject({
        status: 422,
        errors: [{ pointer: '/host', detail: expect.stringContaining('Docker Hub') }],
      });
    },
  );

  it('409 and 422: allows a name and a host once, and limits the registries of an org', async () => {
    const { call, save, store } = await start();
    await save(stored('images', 'registry.example.com'), stored('hub', 'docker.io'));
    const add = async (name: string, host: string) => (await call('POST', '', { name, host, ...account })).body;
    expect(await add('images', 'other.example.com')).toMatchObject({ status: 409, errors: [{ pointer: '/name' }] });
    expect(await add('more', 'Registry.example.com:443')).toMatchObject({
      status: 409,
      errors: [{ pointer: '/host' }],
    });
    expect(await add('more', 'index.docker.io')).toMatchObject({ status: 409, errors: [{ pointer: '/host' }] });
    const all = Array.from({ length: registriesMax }, (_, index) => stored(`r${index}`, `r${index}.example.com`));
    await store.put(SecretKind, { metadata: ref, data: toRegistriesData(all) });
    expect(await add('more', 'more.example.com')).toMatchObject({ status: 422, errors: [{ pointer: '/name' }] });
  });
});

describe('listRegistries', () => {
  it('200: pages, and says that one machine does not use them', async () => {
    const { save, request, call } = await start({ isImageDeleted: async () => false });
    await save(stored('one', 'a.example.com'), stored('two', 'b.example.com'));
    const first = (await (await request(`${path}?limit=1`)).json()) as { items: object[]; continue: string };
    expect(first.items).toMatchObject([{ name: 'one', use: 'none' }]);
    expect(await (await request(`${path}?limit=1&continue=${first.continue}`)).json()).toMatchObject({
      items: [{ name: 'two' }],
    });
    expect((await call('GET', 'two')).body).toMatchObject({ use: 'none' });
  });
});

describe('getRegistry', () => {
  it('404: names the registry', async () => {
    const { call } = await start();
    expect((await call('GET', 'images')).body).toMatchObject({
      status: 404,
      detail: 'No registry named "images" in org "acme".',
    });
  });
});

describe('putRegistry', () => {
  itWithRegistry(
    '200: checks again, with another password or the stored one, in the version that was read',
    async () => {
      const { host, setPassword } = await startRegistry();
      const { call, save, readPassword } = await start();
      await save(stored('images', host));
      const etag = (await call('GET', 'images')).headers.get('etag') ?? '';
      const kept = { host, repositoryPrefix: 'acme', username: 'ada' };
      expect(await call('PUT', 'images', kept, { 'If-Match': etag })).toMatchObject({
        status: 200,
        body: { lastCheck: { access: 'pull-and-push' } },
      });
      expect(await call('PUT', 'images', kept, { 'If-Match': etag })).toMatchObject({ status: 412 });
      await setPassword('battery-staple');
      expect((await call('PUT', 'images', kept)).body).toMatchObject({
        status: 422,
        errors: [{ pointer: '/password' }],
      });
      expect(await readPassword('images')).toBe('correct-horse');
      expect((await call('PUT', 'images', { ...kept, password: 'battery-staple' })).status).toBe(200);
      expect(await readPassword('images')).toBe('battery-staple');
    },
  );

  it('422: sends a stored password to no other host', async () => {
    const { call, save } = await start();
    await save(stored('images', 'registry.example.com'));
    const refused = await call('PUT', 'images', { host: '127.0.0.1:5000', username: 'ada' });
    expect(refused.body).toMatchObject({ status: 422, errors: [{ pointer: '/password', detail: 'is missing' }] });
  });

  it('409: keeps a registry at its place while the images of Products are there', async () => {
    const { call, save, addProduct } = await start();
    await save(stored('images', 'registry.local', 'acme'));
    await addProduct();
    const refused = await call('PUT', 'images', { host: 'registry.local', repositoryPrefix: 'other', username: 'ada' });
    expect(refused.body).toMatchObject({ status: 409, reason: 'registry-in-use' });
  });

  it('409: keeps the place of the images of every Product, not only of some', async () => {
    const { call, save, addProduct, store } = await start();
    await save(stored('images', 'registry.local', 'acme'));
    await addProduct();
    await store.create(ProductKind, {
      metadata: { namespace: 'org-acme', name: 'web' },
      spec: { repos: ['acme/web'], delivery: { zones: [] } },
    });
    const narrow = { host: 'registry.local', repositoryPrefix: 'acme/shop', username: 'ada' };
    expect((await call('PUT', 'images', narrow)).body).toMatchObject({
      status: 409,
      reason: 'registry-in-use',
      detail: expect.stringContaining('(web)'),
    });
  });
});

describe('putRegistry of a registry that builds push to', () => {
  itWithRegistry('409: takes no settings with which builds could not push', async () => {
    const { host } = await startRegistry();
    const { call, save, addProduct } = await start();
    await save(stored('images', host, 'acme'));
    await addProduct('images');
    const refused = await call('PUT', 'images', { host, username: 'ada' });
    expect(refused.body).toMatchObject({
      status: 409,
      reason: 'registry-in-use',
      detail: expect.stringContaining('Builds of the Product "shop" push to the registry "images"'),
      errors: [{ pointer: '/repositoryPrefix' }],
    });
    expect((await call('PUT', 'images', { host, repositoryPrefix: 'acme', username: 'ada' })).status).toBe(200);
  });
});

describe('deleteRegistry', () => {
  it('204: forgets the credentials, in the version that was read, and has them taken from builds and zones', async () => {
    const { temporal, signals } = captureUpdates();
    const { call, save, readPassword } = await start({ temporal });
    await save(stored('images', 'registry.example.com'), stored('other', 'other.example.com'));
    expect((await call('DELETE', 'images', undefined, { 'If-Match': '"0"' })).status).toBe(412);
    expect(signals).toEqual([]);
    expect((await call('DELETE', 'images')).status).toBe(204);
    expect(signals).toMatchObject([{ workflowId: 'keep-repository-access/acme', signal: 'refreshAccess' }]);
    expect(await readPassword('images')).toBeUndefined();
    expect(await readPassword('other')).toBe('correct-horse');
    expect((await call('DELETE', 'images')).status).toBe(404);
  });

  it('409: names the Products whose images are there', async () => {
    const { call, save, addProduct } = await start();
    await save(stored('images', 'registry.local'), stored('other', 'registry.local.example.com'));
    await addProduct();
    expect((await call('DELETE', 'images')).body).toMatchObject({
      status: 409,
      reason: 'registry-in-use',
      detail: expect.stringContaining('(shop)'),
    });
    expect((await call('DELETE', 'other')).status).toBe(204);
  });

  it('409: keeps the registry that builds of a Product push to, and one that its zones pull from', async () => {
    const { call, save, store, addProduct } = await start();
    await save(stored('images', 'registry.example.com', 'acme'), stored('old', 'old.example.com', 'acme'));
    await addProduct('images');
    const zones = [{ name: 'shop-rc', release: 'shop-v0.1.0', imageRepository: 'old.example.com/acme/shop' }];
    await store.updateStatus(ProductKind, { namespace: 'org-acme', name: 'shop' }, () => ({ zones }));
    for (const name of ['images', 'old'])
      expect((await call('DELETE', name)).body).toMatchObject({ reason: 'registry-in-use' });
    await store.updateStatus(ProductKind, { namespace: 'org-acme', name: 'shop' }, () => ({ zones: [] }));
    expect((await call('DELETE', 'old')).status).toBe(204);
  });
});
