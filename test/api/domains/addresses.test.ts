import { describe, expect, it } from 'vitest';
import { DomainKind } from '../../../src/rules/domains/kinds.ts';
import { ConfigMapKind } from '../../../src/rules/core-kinds.ts';
import { createDomainActivities, type DomainDeps } from '../../../activities/domains.ts';
import type { Store } from '../../../src/store/store.ts';
import { addOrg, domainSettings, startApi } from '../../support/start-api.ts';

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
        { name: `${name}-rc`, arrival: 'automatic', addresses: more },
        { name: `${name}-prod`, arrival: 'after-approval', addresses },
      ],
    },
  },
});

async function anApi() {
  const api = await startApi();
  await addOrg(api.store, 'other');
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
      const deps = { store: api.store, domains: domainSettings(), now: () => new Date() } as unknown as DomainDeps;
      await createDomainActivities(deps).beginDomainRemoval({ org, domain });
    },
  };
}
const at = (index: number, field = '') => `/spec/delivery/zones/1/addresses/${index}${field}`;

describe('addresses of zones', () => {
  it('stand under a verified domain of the org, the platform domain, or one that is shared', async () => {
    const { create, store, call } = await anApi();
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
    ['of a domain that nobody has', { domain: 'nobody.test', name: '' }, '/domain'],
    ['of a domain that waits', { domain: 'waiting.test', name: '' }, '/domain'],
    ['of another org’s domain', { domain: 'others.test', name: '' }, '/domain'],
    ['under a domain in another spelling', { domain: 'ACME.test', name: '' }, '/domain'],
    ['that is the platform domain itself', { domain: 'apps.example.net', name: '' }, '/name'],
    ['with more than a label', { domain: 'acme.test', name: 'a.b' }, '/name'],
    ['with what is no label', { domain: 'acme.test', name: '-a' }, '/name'],
    ['that is a zone’s own', { domain: 'apps.example.net', name: 'shop-rc' }, '/name'],
  ])('422: refuses one %s', async (_, address, field) => {
    const { create, store } = await anApi();
    await aDomain(store, 'acme', 'waiting.test', 'WaitingForDns');
    await aDomain(store, 'other', 'others.test');
    const { status, body } = await create('shop', [{ domain: 'acme.test', name: 'fine' }, address]);
    expect(status).toBe(422);
    expect(body['errors']).toMatchObject([{ pointer: at(1, field) }]);
  });

  it('422: refuses the same address twice, and more than ten', async () => {
    const { create } = await anApi();
    const twice = { domain: 'acme.test', name: 'a' };
    expect((await create('shop', [twice, twice])).body['errors']).toMatchObject([{ pointer: at(1) }]);
    const eleven = Array.from({ length: 11 }, (__, index) => ({ domain: 'acme.test', name: `a${index}` }));
    expect(await create('shop', eleven)).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/spec/delivery/zones/1/addresses' }] },
    });
  });

  it('409: gives an address to one zone of the installation, and says where it is taken', async () => {
    const { create, available } = await anApi();
    const address = { domain: 'apps.example.net', name: 'tasty' };
    expect((await create('shop', [address])).status).toBe(201);
    const refused = await create('cake', [address], 'other');
    expect(refused).toMatchObject({ status: 409, body: { errors: [{ pointer: at(0) }] } });
    expect(JSON.stringify(refused.body)).not.toMatch(/acme|shop/);
    expect(await available('tasty.apps.example.net')).toMatchObject({
      available: false,
      heldBy: { product: 'shop', zone: 'shop-prod' },
    });
    const elsewhere = await available('TASTY.apps.example.net', 'other');
    expect(elsewhere).toEqual({ host: 'tasty.apps.example.net', available: false, why: 'Another org has it.' });
    expect(await available('free.apps.example.net')).toEqual({ host: 'free.apps.example.net', available: true });
    expect(await available('x.unknown.test')).toMatchObject({
      available: false,
      why: expect.stringContaining('no verified domain'),
    });
  });

  it('409: keeps the names of zones and the addresses under the platform domain apart', async () => {
    const { create, available } = await anApi();
    expect((await create('shop', [{ domain: 'apps.example.net', name: 'cake-prod' }])).status).toBe(201);
    expect((await create('cake', [], 'other')).status).toBe(409);
    expect((await create('bread', [{ domain: 'apps.example.net', name: 'shop-rc' }], 'other')).status).toBe(409);
    expect(await available('shop-rc.apps.example.net', 'other')).toMatchObject({ available: false });
  });

  it('are free again once no zone names them', async () => {
    const { create, call, available } = await anApi();
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

  it('may stay when their domain has failed, while other things change', async () => {
    const { create, call, store } = await anApi();
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

  it('hold their domain: it cannot be removed while one is there', async () => {
    const { create, call, removal, store } = await anApi();
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
    expect(late).toMatchObject({ status: 422, body: { errors: [{ pointer: at(0, '/domain') }] } });
    const { items } = await store.list(ConfigMapKind, { namespace: 'service-system' });
    expect(items.filter(({ metadata }) => metadata.name.startsWith('address-'))).toEqual([]);
  });

  it('never come under a domain that is removed in the same moment', async () => {
    const { create, removal, store, call } = await anApi();
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
