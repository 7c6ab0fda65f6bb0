import { describe, expect, it } from 'vitest';
import { DomainKind } from '../../../src/rules/domains/kinds.ts';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { createDomainActivities, type DomainDeps } from '../../../activities/domains/domain-activities.ts';
import type { Store } from '../../../src/store/store.ts';
import { createOrg, buildDomainSettings, startApi } from '../../support/start-api.ts';

async function aDomain(
  store: Store,
  org: string,
  name: string,
  state: 'Verified' | 'WaitingForDns' = 'Verified',
  shared = false,
): Promise<void> {
  const metadata = { namespace: `org-${org}`, name };
  await store.create(DomainKind, { metadata, spec: { name, kind: 'external', shared, token: 't' } });
  await store.updateStatus(DomainKind, metadata, () => ({ state, claimedAt: new Date().toISOString() }));
}

type Address = { domain: string; name: string };
const product = (name: string, addresses: Address[], more: Address[] = []) => ({
  name,
  spec: {
    repos: [],
    delivery: {
      zones: [
        { name: `${name}-rc`, promotionPolicy: 'automatic', addresses: more },
        { name: `${name}-prod`, promotionPolicy: 'after-approval', addresses },
      ],
    },
  },
});

/** Creates the orgs "acme" and "other"; "acme" has the verified domain "acme.test". */
async function startAddressFixture() {
  const api = await startApi();
  await createOrg(api.store, 'other');
  await aDomain(api.store, 'acme', 'acme.test');
  const call = async (path: string, method = 'GET', body?: unknown) => {
    const response = await api.request(path, { method, ...(body !== undefined && { body }) });
    return { status: response.status, body: (await response.json()) as Record<string, never> };
  };
  return {
    ...api,
    call,
    create: async (name: string, addresses: Address[], org = 'acme') =>
      await call(`/v1/orgs/${org}/products`, 'POST', product(name, addresses)),
    available: async (host: string, org = 'acme') =>
      (await call(`/v1/orgs/${org}/addresses/available?host=${host}`)).body,
    removal: async (org: string, domain: string) => {
      const deps = { store: api.store, domains: buildDomainSettings(), now: () => new Date() } as unknown as DomainDeps;
      await createDomainActivities(deps).beginDomainRemoval({ org, domain });
    },
  };
}
const addressPointer = (index: number, field = '') => `/spec/delivery/zones/1/addresses/${index}${field}`;

describe('addresses of zones', () => {
  it('201: accepts addresses under a verified domain of the org, the platform domain or a shared domain', async () => {
    const { create, store, call } = await startAddressFixture();
    await aDomain(store, 'platform', 'shared.test', 'Verified', true);
    const addresses = [
      { domain: 'acme.test', name: '' },
      { domain: 'acme.test', name: 'shop' },
      { domain: 'shared.test', name: 'acme' },
      { domain: 'apps.example.net', name: 'acme' },
    ];
    expect((await create('shop', addresses)).status).toBe(201);
    const { items } = (await call('/v1/orgs/acme/domains')).body as unknown as {
      items: { name: string; addresses: object[] }[];
    };
    expect(items.find(({ name }) => name === 'acme.test')?.addresses).toEqual([
      { host: 'acme.test', product: 'shop', zone: 'shop-prod' },
      { host: 'shop.acme.test', product: 'shop', zone: 'shop-prod' },
    ]);
    expect(items.map(({ name }) => name)).toEqual(['apps.example.net', 'acme.test', 'shared.test']);
  });

  it.each([
    ['under an unclaimed domain', { domain: 'unclaimed.test', name: '' }, '/domain'],
    ['under a domain that waits for DNS', { domain: 'waiting.test', name: '' }, '/domain'],
    ['under the domain of another org', { domain: 'others.test', name: '' }, '/domain'],
    ['under a domain in upper case', { domain: 'ACME.test', name: '' }, '/domain'],
    ['equal to the platform domain', { domain: 'apps.example.net', name: '' }, '/name'],
    ['with two labels', { domain: 'acme.test', name: 'a.b' }, '/name'],
    ['with an invalid label', { domain: 'acme.test', name: '-a' }, '/name'],
    ['equal to the host of a zone', { domain: 'apps.example.net', name: 'shop-rc' }, '/name'],
  ])('422: rejects an address %s', async (_, address, field) => {
    const { create, store } = await startAddressFixture();
    await aDomain(store, 'acme', 'waiting.test', 'WaitingForDns');
    await aDomain(store, 'other', 'others.test');
    const { status, body } = await create('shop', [{ domain: 'acme.test', name: 'fine' }, address]);
    expect(status).toBe(422);
    expect(body['errors']).toMatchObject([{ pointer: addressPointer(1, field) }]);
  });

  it('422: rejects a duplicate address and more than ten addresses', async () => {
    const { create } = await startAddressFixture();
    const address = { domain: 'acme.test', name: 'a' };
    expect((await create('shop', [address, address])).body['errors']).toMatchObject([{ pointer: addressPointer(1) }]);
    const eleven = Array.from({ length: 11 }, (__, index) => ({ domain: 'acme.test', name: `a${index}` }));
    expect(await create('shop', eleven)).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/spec/delivery/zones/1/addresses' }] },
    });
  });

  it('409: rejects an address that equals the host of a zone, and the reverse', async () => {
    const { create, available } = await startAddressFixture();
    expect((await create('shop', [{ domain: 'apps.example.net', name: 'cake-prod' }])).status).toBe(201);
    expect((await create('cake', [], 'other')).status).toBe(409);
    expect((await create('bread', [{ domain: 'apps.example.net', name: 'shop-rc' }], 'other')).status).toBe(409);
    expect(await available('shop-rc.apps.example.net', 'other')).toMatchObject({ available: false });
  });

  it('200: releases an address that no zone uses', async () => {
    const { create, call, available } = await startAddressFixture();
    const { body } = await create('shop', [
      { domain: 'acme.test', name: 'a' },
      { domain: 'acme.test', name: 'b' },
    ]);
    const spec = product('shop', [{ domain: 'acme.test', name: 'b' }]).spec;
    const replaced = await call('/v1/orgs/acme/products/shop', 'PUT', { spec, generation: body['generation'] });
    expect(replaced.status).toBe(200);
    expect(await available('a.acme.test')).toMatchObject({ available: true });
    expect(await available('b.acme.test')).toMatchObject({ available: false });
  });

  it('200: keeps an address of a failed domain while other fields change', async () => {
    const { create, call, store } = await startAddressFixture();
    const addresses = [{ domain: 'acme.test', name: 'a' }];
    const { body } = await create('shop', addresses);
    await store.updateStatus(
      DomainKind,
      { namespace: 'org-acme', name: 'acme.test' },
      ({ status }) => status && { ...status, state: 'Failed' as const },
    );
    const spec = { ...product('shop', addresses).spec, displayName: 'Shop' };
    expect((await call('/v1/orgs/acme/products/shop', 'PUT', { spec, generation: body['generation'] })).status).toBe(
      200,
    );
  });

  it('conflict: keeps a domain while a zone has an address under it', async () => {
    const { create, call, removal, store } = await startAddressFixture();
    const { body } = await create('shop', [{ domain: 'acme.test', name: 'a' }]);
    await expect(removal('acme', 'acme.test')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('the zone "shop-prod" of Product "shop" has the address a.acme.test'),
    });
    expect((await store.get(DomainKind, { namespace: 'org-acme', name: 'acme.test' })).status).not.toHaveProperty(
      'removal',
    );
    await call('/v1/orgs/acme/products/shop', 'PUT', {
      spec: product('shop', []).spec,
      generation: body['generation'],
    });
    await removal('acme', 'acme.test');
    const late = await create('late', [{ domain: 'acme.test', name: 'a' }]);
    expect(late).toMatchObject({ status: 422, body: { errors: [{ pointer: addressPointer(0, '/domain') }] } });
    const { items } = await store.list(ConfigMapKind, { namespace: 'service-system' });
    expect(items.filter(({ metadata }) => metadata.name.startsWith('address-'))).toEqual([]);
  });

  it('conflict: allows either an address or the removal of its domain, never both', async () => {
    const { create, removal, store, call } = await startAddressFixture();
    for (let time = 1; time <= 20; time += 1) {
      const domain = `race${time}.test`;
      await aDomain(store, 'acme', domain);
      const [created, removed] = await Promise.allSettled([
        create(`race${time}`, [{ domain, name: '' }]),
        removal('acme', domain),
      ]);
      const isCreated = created.status === 'fulfilled' && created.value.status === 201;
      expect(isCreated && removed.status === 'fulfilled', domain).toBe(false);
    }
    expect((await call('/v1/orgs/acme/domains')).status).toBe(200);
  });
});

describe('getAddressAvailability', () => {
  it('409: reserves an address for one zone and returns its owner only to the same org', async () => {
    const { create, available } = await startAddressFixture();
    const address = { domain: 'apps.example.net', name: 'tasty' };
    expect((await create('shop', [address])).status).toBe(201);
    const refused = await create('cake', [address], 'other');
    expect(refused).toMatchObject({ status: 409, body: { errors: [{ pointer: addressPointer(0) }] } });
    expect(JSON.stringify(refused.body)).not.toMatch(/acme|shop/);
    expect(await available('tasty.apps.example.net')).toMatchObject({
      available: false,
      reservedBy: { product: 'shop', zone: 'shop-prod' },
    });
    const elsewhere = await available('TASTY.apps.example.net', 'other');
    expect(elsewhere).toEqual({
      host: 'tasty.apps.example.net',
      available: false,
      reason: 'Another org holds the address.',
    });
    expect(await available('free.apps.example.net')).toEqual({ host: 'free.apps.example.net', available: true });
    expect(await available('x.unknown.test')).toMatchObject({
      available: false,
      reason: expect.stringContaining('not under a verified domain'),
    });
  });

  it('422: rejects an invalid host name', async () => {
    const { call } = await startAddressFixture();
    const { status, body } = await call('/v1/orgs/acme/addresses/available?host=https://x.test');
    expect(status).toBe(422);
    expect(body['errors']).toMatchObject([{ pointer: '?host' }]);
  });
});
