import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { archiveKey, archivesPerOrgMax } from '../../../src/rules/products/archive-limits.ts';
import type { ProductScaffold } from '../../../src/rules/products/source.ts';
import { startShopFixture } from '../../emulators/codehost/codehost-fixture.ts';
import { buildZip } from '../../support/build-zip.ts';
import { type ApiHarness, startApi } from '../../support/start-api.ts';
import { captureStarts } from '../../support/workflows/capture-starts.ts';

const namespace = 'org-acme';
const path = '/v1/orgs/acme/products';
const fresh = { name: 'fresh', spec: { source: { template: 'node-service' } } };

async function connect({ store }: ApiHarness, app: { id: number; pem: string }): Promise<void> {
  const values = { 'app-id': String(app.id), 'private-key': app.pem };
  const data = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );
  await store.create(SecretKind, { metadata: { namespace, name: 'codehost-app' }, type: 'Opaque', data });
}

/** Starts the API with the code host emulator, which has the repo acme/shop. */
async function startConnectedApi(options: Parameters<typeof startApi>[0] = {}) {
  const { codehost, app } = await startShopFixture();
  const { temporal, starts } = captureStarts();
  const api = await startApi({ role: 'org-admin', codehostApiUrl: codehost.apiUrl, temporal, ...options });
  await connect(api, app);
  const post = async (body: object, headers = {}) => await api.request(path, { method: 'POST', body, headers });
  return { api, starts, post };
}

describe('createProduct with a source', () => {
  it('201: creates the Product with its repo to be, and starts the creation of the repo once', async () => {
    const { api, starts, post } = await startConnectedApi();
    const headers = { 'Idempotency-Key': 'k1' };
    const response = await post(fresh, headers);
    expect(response.status).toBe(201);
    const view = await response.json();
    expect(view).toMatchObject({
      spec: { source: { repo: 'acme/fresh', template: 'node-service' }, repos: ['acme/fresh'] },
      actions: expect.arrayContaining([expect.objectContaining({ name: 'retryScaffold', allowed: true })]),
    });
    const repeated = await post(fresh, headers);
    expect(await repeated.json()).toEqual(view);
    const { uid } = (await api.store.get(ProductKind, { namespace, name: 'fresh' })).metadata;
    const input = { org: 'acme', product: 'fresh', uid, by: 'org-admin@example.com' };
    expect(starts).toMatchObject([{ type: 'scaffoldProduct', options: { args: [input] } }]);
  });

  it.each([
    ['a repo that exists', { template: 'node-service', repo: 'acme/shop' }, 409, 'exists on the code host'],
    ['a repo of another account', { template: 'node-service', repo: 'umbrella/fresh' }, 422, 'must be a repo of acme'],
    ['an unknown template', { template: 'rust-service' }, 422, 'invalid option'],
    ['neither a template nor an archive', {}, 422, 'either a template or an archive'],
    ['an archive that was not uploaded', { archive: { sha256: 'a'.repeat(64) } }, 422, 'upload it first'],
  ])('%s creates nothing', async (_, source, status, detail) => {
    const { api, starts, post } = await startConnectedApi();
    const response = await post({ name: 'fresh', spec: { source } });
    expect(response.status).toBe(status);
    const problem = (await response.json()) as { errors: { pointer: string; detail: string }[] };
    expect(problem.errors).toMatchObject([
      { pointer: expect.stringMatching(/^\/spec\/source/), detail: expect.stringContaining(detail) },
    ]);
    expect((await api.store.list(ProductKind)).items).toEqual([]);
    expect(starts).toEqual([]);
  });

  it('refuses work on the repo, in its actions and with 409, until the repo contains the first commit', async () => {
    const { api, post } = await startConnectedApi();
    const { actions } = (await (await post(fresh)).json()) as { actions: { name: string; allowed: boolean }[] };
    const blocked = actions.filter(({ allowed }) => !allowed).map(({ name }) => name);
    expect(blocked).toEqual(['startRun', 'startRelease', 'createIssue', 'putLogo']);
    for (const [target, body] of [
      ['/v1/orgs/acme/releases', { product: 'fresh' }],
      ['/v1/orgs/acme/agentworkflowruns', { product: 'fresh', agentWorkflow: 'change', issue: 1 }],
      [`${path}/fresh/issues`, { title: 'A first issue' }],
    ] as const) {
      const response = await api.request(target, { method: 'POST', body });
      expect(response.status, target).toBe(409);
      expect(await response.json()).toMatchObject({ reason: 'repo-not-created' });
    }
  });

  it('422: says that a language is missing before anything is created', async () => {
    const { api, post } = await startConnectedApi({ missingLanguages: { go: 'Go is not on PATH: install it.' } });
    const response = await post({ name: 'fresh', spec: { source: { template: 'go-service' } } });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      errors: [{ pointer: '/spec/source/template', detail: expect.stringContaining('install it') }],
    });
    expect((await api.store.list(ProductKind)).items).toEqual([]);
  });

  it('409: asks to connect an org without a code host', async () => {
    const api = await startApi({ role: 'org-admin' });
    const response = await api.request(path, { method: 'POST', body: fresh });
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({ reason: 'codehost-not-connected' });
  });
});

describe('retryScaffold', () => {
  const retry = async ({ request }: ApiHarness) =>
    await request(`${path}/fresh/scaffold/retry`, { method: 'POST', headers: { 'Content-Type': 'application/json' } });
  const record = async ({ store }: ApiHarness, phase: ProductScaffold['phase']): Promise<void> => {
    const scaffold = { phase, message: phase, startedAt: '2026-01-01T00:00:00Z' };
    await store.updateStatus(ProductKind, { namespace, name: 'fresh' }, () => ({ scaffold }));
  };

  it('202: starts another attempt after a failure, in the name of the creator', async () => {
    const { api, starts, post } = await startConnectedApi();
    await post(fresh);
    await record(api, 'Failed');
    expect((await retry(api)).status).toBe(202);
    expect(starts[1]).toEqual(starts[0]);
  });

  it.each(['Committing', 'Succeeded'] as const)('409: refuses it in the phase %s', async (phase) => {
    const { api, starts, post } = await startConnectedApi();
    await post(fresh);
    await record(api, phase);
    const response = await retry(api);
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({ reason: 'scaffold-not-retryable' });
    expect(starts).toHaveLength(1);
  });

  it('409: refuses it for a Product with a repo of its own', async () => {
    const { api, post } = await startConnectedApi();
    await post({ name: 'fresh', spec: { repos: [] } });
    expect((await retry(api)).status).toBe(409);
  });
});

describe('replaceProduct', () => {
  it('422: does not change how a Product was made', async () => {
    const { api, post } = await startConnectedApi();
    const { spec, generation } = (await (await post(fresh)).json()) as { spec: object; generation: number };
    const put = async (changed: object) =>
      await api.request(`${path}/fresh`, { method: 'PUT', body: { generation, spec: { ...spec, ...changed } } });
    const source = { repo: 'acme/fresh', template: 'go-service' };
    const response = await put({ source });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ errors: [{ pointer: '/spec/source' }] });
    expect((await put({ description: 'Changed' })).status).toBe(200);
  });

  it('200: replaces the repo that was made once it contains the files; 422: not before', async () => {
    const { api, post } = await startConnectedApi();
    const { spec, generation } = (await (await post(fresh)).json()) as { spec: object; generation: number };
    const rename = async () =>
      await api.request(`${path}/fresh`, {
        method: 'PUT',
        body: { generation, spec: { ...spec, repos: ['acme/renamed'] } },
      });
    expect(await (await rename()).json()).toMatchObject({ status: 422, errors: [{ pointer: '/spec/repos' }] });
    const scaffold = { phase: 'Succeeded', message: '', startedAt: '2026-01-01T00:00:00Z', commit: 'c0ffee' } as const;
    await api.store.updateStatus(ProductKind, { namespace, name: 'fresh' }, () => ({ scaffold }));
    expect((await rename()).status).toBe(200);
  });
});

describe('uploadArchive', () => {
  const upload = async ({ app, tokenFor }: ApiHarness, body: Uint8Array, type = 'application/zip') =>
    await app.request('/api/v1/orgs/acme/archives', {
      method: 'POST',
      headers: { Authorization: `Bearer ${await tokenFor('org-admin')}`, 'Content-Type': type, 'Idempotency-Key': 'k' },
      body: new Blob([Buffer.from(body)]),
    });
  const zip = buildZip([{ name: 'site/index.html', content: '<h1>' }]);

  it('201: stores the archive, from which a Product is then created', async () => {
    const { api, starts, post } = await startConnectedApi();
    const response = await upload(api, zip);
    expect(response.status).toBe(201);
    const sha256 = createHash('sha256').update(zip).digest('hex');
    expect(await response.json()).toEqual({ sha256, files: 1, bytes: 4 });
    expect(Buffer.from((await api.blobs.find(archiveKey({ org: 'acme', sha256 })))!).equals(zip)).toBe(true);
    expect((await post({ name: 'fresh', spec: { source: { archive: { sha256 } } } })).status).toBe(201);
    expect(starts).toHaveLength(1);
  });

  it('201: returns the hash of each archive, also with a repeated Idempotency-Key', async () => {
    const { api } = await startConnectedApi();
    const other = buildZip([{ name: 'other.html' }]);
    await upload(api, zip);
    const sha256 = createHash('sha256').update(other).digest('hex');
    expect(await (await upload(api, other)).json()).toMatchObject({ sha256 });
    const two = buildZip([
      { name: 'a', content: 'one' },
      { name: 'b', content: 'three' },
    ]);
    expect(await (await upload(api, two)).json()).toMatchObject({ files: 2, bytes: 8 });
  });

  it.each([
    [[{ name: '../evil' }], '"../evil" leads out of its folder'],
    [[{ name: '/evil' }], '"/evil" is an absolute path'],
    [[{ name: 'link', content: '/etc/passwd', mode: 0o120777 }], '"link" is a symbolic link'],
    [Array.from({ length: 10_000 }, (_, index) => ({ name: `f${index}` })), 'contains 10000 files'],
    [[{ name: 'bomb', content: Buffer.alloc(50_000_000), declaredBytes: 100 }], '"bomb" is damaged'],
  ])('422: refuses a hostile archive with the reason, and stores nothing', async (entries, detail) => {
    const { api } = await startConnectedApi();
    const response = await upload(api, buildZip(entries));
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ detail: expect.stringContaining(detail) });
    expect(await api.blobs.list('archives/')).toEqual([]);
  });

  it('413 and 415: refuses a larger body and another type', async () => {
    const { api } = await startConnectedApi();
    expect((await upload(api, Buffer.alloc(25 * 1024 * 1024 + 1))).status).toBe(413);
    expect((await upload(api, zip, 'application/gzip')).status).toBe(415);
  });

  it('429: limits the archives of an org', async () => {
    const { api } = await startConnectedApi();
    for (let index = 0; index < archivesPerOrgMax; index += 1)
      await api.blobs.put(archiveKey({ org: 'acme', sha256: `${index}` }), Buffer.from('x'));
    const response = await upload(api, zip);
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({ reason: 'quota-reached' });
  });
});
