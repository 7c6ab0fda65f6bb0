import { describe, expect, it } from 'vitest';
import { OrganizationKind, type ZoneSpec, ProductKind } from '../../../src/rules/catalog/kinds.ts';
import { type ReleaseStatus, ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { startApi, type StartedApi } from '../../support/start-api.ts';

type Problem = { detail: string; errors?: { pointer: string; detail: string }[] };
const zones = '/v1/orgs/acme/products/shop/zones';
const prod = `${zones}/shop-prod`;
const namespace = 'org-acme';

/** A Product with the usual pair of zones. */
async function aShop(role: 'org-admin' | 'member' | 'viewer' = 'org-admin'): Promise<StartedApi> {
  const api = await startApi({ role });
  const body = { name: 'shop', spec: { repos: [] } };
  expect((await api.request('/v1/orgs/acme/products', { method: 'POST', body, role: 'org-admin' })).status).toBe(201);
  return api;
}

async function answerOf({ request }: StartedApi, path: string, { method = 'POST', body }: Sent = {}) {
  const response = await request(path, { method, ...(body === undefined ? {} : { body }) });
  const problem = (await response.json()) as Problem;
  return { status: response.status, pointers: problem.errors?.map(({ pointer }) => pointer), detail: problem.detail };
}
type Sent = { method?: string; body?: unknown };

/** The pointers that the settings of the first of the Product's zones are refused with. */
async function refusedSettings(settings: Partial<Record<keyof ZoneSpec, unknown>>) {
  const api = await aShop();
  const first = { name: 'shop-rc', arrival: 'automatic', ...settings };
  const spec = { repos: [], delivery: { zones: [first, { name: 'shop-prod', arrival: 'after-approval' }] } };
  const answer = await answerOf(api, '/v1/orgs/acme/products/shop', { method: 'PUT', body: { spec, generation: 1 } });
  expect(answer.status).toBe(422);
  const before = await api.store.get(ProductKind, { namespace, name: 'shop' });
  expect(before.metadata.generation).toBe(1);
  return answer.pointers;
}

async function aRelease({ store }: StartedApi, status: Partial<ReleaseStatus>, startedBy = 'jo@example.com') {
  const ref = { namespace, name: 'shop-v1.0.0' };
  const spec = { product: 'shop', repo: 'acme/shop', commit: 'c', version: 'v1.0.0', startedBy };
  await store.create(ReleaseKind, { metadata: ref, spec });
  await store.updateStatus(ReleaseKind, ref, () => ({ phase: 'Promoting' as const, zones: [], ...status }));
  return { release: 'shop-v1.0.0' };
}

const volume = (name: string, path: string) => ({ name, path, size: '1Gi' });
const row = '/spec/delivery/zones/0';

describe('the settings of a zone', () => {
  it.each([
    ['more than 20 replicas', { replicas: 21 }, [`${row}/replicas`]],
    ['fewer than none', { replicas: -1 }, [`${row}/replicas`]],
    ['half a replica', { replicas: 1.5 }, [`${row}/replicas`]],
    ['CPU that is no quantity', { cpu: '2 cores' }, [`${row}/cpu`]],
    ['no CPU at all', { cpu: '0' }, [`${row}/cpu`]],
    ['memory without a unit', { memory: '256' }, [`${row}/memory`]],
    ['no memory', { memory: '0Mi' }, [`${row}/memory`]],
    [
      'nine volumes',
      { volumes: Array.from({ length: 9 }, (_, at) => volume(`v${at}`, `/v${at}`)) },
      [`${row}/volumes`],
    ],
    ['two volumes of a name', { volumes: [volume('a', '/a'), volume('a', '/b')] }, [`${row}/volumes/1/name`]],
    ['a volume in another', { volumes: [volume('a', '/a/b'), volume('b', '/a')] }, [`${row}/volumes/1/path`]],
    ['a volume over the system', { volumes: [volume('a', '/etc/app')] }, [`${row}/volumes/0/path`]],
    ['a volume that climbs out', { volumes: [volume('a', '/a/../etc')] }, [`${row}/volumes/0/path`]],
    [
      'eleven addresses',
      { addresses: Array.from({ length: 11 }, (_, at) => ({ domain: 'apps.example.net', name: `a${at}` })) },
      [`${row}/addresses`],
    ],
    ['a move to another cluster', { cluster: 'apart' }, [`${row}/cluster`]],
    ['an access that is none', { access: 'private' }, [`${row}/access`]],
    ['an arrival that is none', { arrival: 'sometimes' }, [`${row}/arrival`]],
  ])('422: %s', async (_what, settings, pointers) => {
    expect(await refusedSettings(settings)).toEqual(pointers);
  });

  it('200: at their bounds', async () => {
    const api = await aShop();
    const volumes = Array.from({ length: 8 }, (_, at) => volume(`v${at}`, `/v/${at}`));
    const first = { name: 'shop-rc', arrival: 'automatic', replicas: 20, cpu: '0.5', memory: '2Gi', volumes };
    const body = { spec: { repos: [], delivery: { zones: [first] } }, generation: 1 };
    expect((await api.request('/v1/orgs/acme/products/shop', { method: 'PUT', body })).status).toBe(200);
  });
});

describe('the cluster of a zone', () => {
  it('is one of the installation’s', async () => {
    const api = await aShop();
    const add = async (cluster: string) =>
      await answerOf(api, '/v1/orgs/acme/products/shop/zones', {
        method: 'POST',
        body: { name: `shop-${cluster}`, arrival: 'automatic', cluster },
      });
    const refused = await add('unheard-of');
    expect(refused).toMatchObject({ status: 422, pointers: ['/spec/delivery/zones/2/cluster'] });
    expect(refused.detail).toContain('it has apart');
    expect((await add('apart')).status).toBe(201);
  });
});

describe('a zone', () => {
  it('422: is not removed unless its name is typed, and stays as it is', async () => {
    const api = await aShop();
    for (const confirm of ['', '?confirm=shop-rc']) {
      const { status, pointers, detail } = await answerOf(api, `${prod}${confirm}`, { method: 'DELETE' });
      expect({ status, pointers }).toEqual({ status: 422, pointers: ['?confirm'] });
      expect(detail).toContain('Type its name to confirm');
    }
    const { spec, status } = await api.store.get(ProductKind, { namespace, name: 'shop' });
    expect(spec.delivery.zones).toHaveLength(2);
    expect(status?.zones ?? []).toEqual([]);
  });

  it('503, then 409: whose removal nobody was told of keeps its name until somebody asks again', async () => {
    const api = await aShop();
    expect((await answerOf(api, `${prod}?confirm=shop-prod`, { method: 'DELETE' })).status).toBe(503);
    const gone = await api.request(prod);
    expect(await gone.json()).toMatchObject({ status: { removal: { by: 'org-admin@example.com' } } });
    expect(await answerOf(api, zones, { body: {} })).toMatchObject({
      status: 409,
      detail: expect.stringContaining('still being removed'),
    });
    expect((await answerOf(api, `${prod}?confirm=shop-prod`, { method: 'DELETE' })).status).toBe(503);
  });

  it('201: is added with nothing said where it is the production zone that is missing', async () => {
    const api = await aShop();
    const body = {
      spec: { repos: [], delivery: { zones: [{ name: 'shop-rc', arrival: 'automatic' }] } },
      generation: 1,
    };
    expect((await api.request('/v1/orgs/acme/products/shop', { method: 'PUT', body })).status).toBe(200);
    const response = await api.request(zones, { method: 'POST', body: {} });
    expect(response.status).toBe(201);
    expect(response.headers.get('Location')).toBe(`/api${prod}`);
    expect(await response.json()).toMatchObject({
      name: 'shop-prod',
      spec: { arrival: 'after-approval', access: 'signed-in' },
    });
    expect((await answerOf(api, zones, { body: {} })).status).toBe(409);
  });

  it('403: viewers only look, and members remove and add none', async () => {
    const viewer = await aShop('viewer');
    expect((await viewer.request(prod)).status).toBe(200);
    for (const path of ['promote', 'freeze', 'unfreeze'])
      expect((await answerOf(viewer, `${prod}/${path}`, { body: { release: 'r', reason: 'r' } })).status).toBe(403);
    const member = await aShop('member');
    expect((await answerOf(member, `${prod}?confirm=shop-prod`, { method: 'DELETE' })).status).toBe(403);
    expect((await answerOf(member, zones, { body: { name: 'shop-more' } })).status).toBe(403);
  });

  it('404: that the Product does not have', async () => {
    const api = await aShop();
    for (const [path, body] of [
      ['freeze', { reason: 'Sale.' }],
      ['unfreeze', undefined],
      ['promote', { release: 'shop-v1.0.0' }],
    ] as const)
      expect((await answerOf(api, `${zones}/shop-none/${path}`, { body })).status).toBe(404);
  });
});

describe('freezing a zone', () => {
  it.each([
    ['for a time that is over', { reason: 'Sale.', until: '2020-01-01T00:00:00Z' }, ['/until']],
    ['without a reason', { reason: ' ' }, ['/reason']],
    ['until some day', { reason: 'Sale.', until: 'Monday' }, ['/until']],
  ])('422: %s', async (_what, body, pointers) => {
    expect(await answerOf(await aShop(), `${prod}/freeze`, { body })).toMatchObject({ status: 422, pointers });
  });
});

describe('promoting by hand', () => {
  it('422: a Release that the Product does not have', async () => {
    const answer = await answerOf(await aShop(), `${prod}/promote`, { body: { release: 'shop-v9.0.0' } });
    expect(answer).toMatchObject({ status: 422, pointers: ['/release'] });
  });

  it('409: one that is not built, or not verified in the zones before', async () => {
    const api = await aShop();
    const body = await aRelease(api, {});
    expect((await answerOf(api, `${prod}/promote`, { body })).detail).toContain('v1.0.0 is not built');
    const built = { phase: 'Promoting' as const, digest: 'sha256:d', zones: [] };
    await api.store.updateStatus(ReleaseKind, { namespace, name: body.release }, () => built);
    expect(await answerOf(api, `${prod}/promote`, { body })).toMatchObject({
      status: 409,
      detail: expect.stringContaining('v1.0.0 is not verified in the zone "shop-rc"'),
    });
    // Past every check, and then nobody is there to do it.
    expect((await answerOf(api, `${zones}/shop-rc/promote`, { body })).status).toBe(503);
  });

  it('403: by whoever started it, where the org asks for two people; going back to what ran there is no approval', async () => {
    const api = await aShop();
    const organization = { namespace: 'service-system', name: 'acme' };
    const org = await api.store.get(OrganizationKind, organization);
    await api.store.replace(OrganizationKind, { ...org, spec: { ...org.spec, approvals: { notByStarter: true } } });
    const verified = { name: 'shop-rc', phase: 'Verified' as const, verifiedAt: '2026-01-01T00:00:00Z' };
    const status = { digest: 'sha256:d', zones: [verified] };
    const body = await aRelease(api, status, 'Org-Admin@example.com');
    expect(await answerOf(api, `${prod}/promote`, { body })).toMatchObject({
      status: 403,
      detail: expect.stringContaining('somebody else approves'),
    });
    const ran = { name: 'shop-prod', phase: 'Verified' as const, healthyAt: '2026-01-01T00:00:00Z' };
    await api.store.updateStatus(ReleaseKind, { namespace, name: body.release }, () => ({
      ...status,
      phase: 'Succeeded' as const,
      zones: [verified, ran],
    }));
    expect((await answerOf(api, `${prod}/promote`, { body })).status).toBe(503);
  });
});
