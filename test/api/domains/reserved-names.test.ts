import { describe, expect, it } from 'vitest';
import { reconcileProduct } from '../../../src/reconcile/reconcile-product.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { createReconcileDeps } from '../../reconcile/reconcile-fixture.ts';
import { buildDomainSettings, startApi } from '../../support/start-api.ts';

/** The service is served at `delivery`, both below the platform domain and below the hosts of zones. */
const ownHosts = ['delivery.apps.example.net', 'delivery.localhost', 'delivery.managed.test'];
const names = ['delivery', 'login', 'www', 'api'];
const zone = (name: string, label?: string) => ({
  name,
  promotionPolicy: 'automatic' as const,
  ...(label !== undefined && { addresses: [{ domain: 'apps.example.net', name: label }] }),
});

async function startFixture() {
  const { request } = await startApi({ domains: buildDomainSettings({ ownHosts }) });
  const post = async (path: string, body: unknown): Promise<{ status: number; detail: string }> => {
    const response = await request(`/v1/orgs/acme/${path}`, { method: 'POST', body });
    return { status: response.status, detail: JSON.stringify(await response.json()) };
  };
  expect(await post('products', { name: 'shop', spec: { repos: [] } })).toMatchObject({ status: 201 });
  const getAvailability = async (host: string): Promise<unknown> =>
    await (await request(`/v1/orgs/acme/addresses/available?host=${host}`)).json();
  return { post, getAvailability };
}

describe('the hosts of the installation and reserved names', () => {
  it.each(names)('are refused everywhere a host can be claimed: %s', async (name) => {
    const { post, getAvailability } = await startFixture();
    const refused = { status: 422, detail: expect.stringMatching(/reserved|the installation/) };
    const create = async (spec: object) => await post('products', { name: 'cake', spec: { repos: [], ...spec } });
    expect(await create({ delivery: { zones: [zone(name)] } })).toMatchObject(refused);
    expect(await create({ delivery: { zones: [zone('cake-rc', name)] } })).toMatchObject(refused);
    expect(await post('products/shop/zones', zone(name))).toMatchObject(refused);
    expect(await post('products/shop/zones', zone('shop-qa', name))).toMatchObject(refused);
    expect(await post('domains', { name: `${name}.managed.test`, kind: 'managed' })).toMatchObject(refused);
    expect(await post('domains', { name: `${name}.apps.example.net`, kind: 'external' })).toMatchObject(refused);
    expect(await getAvailability(`${name}.apps.example.net`)).toMatchObject({
      available: false,
      reason: expect.stringMatching(/reserved|the installation/),
    });
  });

  it.each(names)('are refused in a Product that was applied with kubectl: %s', async (name) => {
    const { deps, store } = await createReconcileDeps();
    const settings = { ...deps, config: { ...deps.config, domains: buildDomainSettings({ ownHosts }) } };
    const ref = { namespace: 'org-acme', name: 'cake' };
    const zones = [zone(name), zone('cake-prod', name)];
    await reconcileProduct(
      settings,
      await store.create(ProductKind, { metadata: ref, spec: { repos: [], delivery: { zones } } }),
    );
    const { status } = await store.get(ProductKind, ref);
    const message = status?.conditions?.find(({ type }) => type === 'Accepted')?.message;
    expect(message).toMatch(/delivery\/zones\/0\/name .*(reserved|the installation)/);
    expect(message).toMatch(/delivery\/zones\/1\/addresses\/0\/name .*(reserved|the installation)/);
  });
});
