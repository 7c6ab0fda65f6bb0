import { IncidentKind, type IncidentSpec, type IncidentStatus } from '../../../src/rules/incidents/kinds.ts';
import { ProductKind, type Product, type ProductSpec } from '../../../src/rules/products/kinds.ts';
import type { Store } from '../../../src/store/store.ts';

const namespace = 'org-acme';
export const shopRef = { namespace, name: 'shop' };
export const shopAddress = 'https://shop.example.com';

/** Creates the Product "shop", whose Release runs in "shop-prod". */
export async function seedShop(store: Store, spec: Partial<ProductSpec> = {}): Promise<Product> {
  await store.create(ProductKind, {
    metadata: shopRef,
    spec: {
      displayName: 'Shop',
      repos: ['acme/shop'],
      delivery: { zones: [{ name: 'shop-rc' }, { name: 'shop-prod' }] },
      statusPage: { public: true },
      ...spec,
    },
  });
  return await store.updateStatus(ProductKind, shopRef, () => ({
    zones: [{ name: 'shop-prod', release: 'shop-v1', address: shopAddress }],
    conditions: [],
  }));
}

type NewIncident = { name: string; spec?: Partial<IncidentSpec>; status?: Partial<IncidentStatus> };

/** Creates an incident of the Product "shop" that a person opened a minute ago. */
export async function seedIncident(store: Store, { name, spec, status }: NewIncident): Promise<void> {
  const openedAt = new Date(Date.now() - 60_000).toISOString();
  const base = { product: 'shop', severity: 'critical', title: 'Disk of db-7 is full', openedBy: 'root@example.com' };
  await store.create(IncidentKind, { metadata: { namespace, name }, spec: { ...base, ...spec } as IncidentSpec });
  await store.updateStatus(IncidentKind, { namespace, name }, (): IncidentStatus => ({
    state: 'Open',
    openedAt,
    timeline: [{ type: 'opened', at: openedAt, by: 'root@example.com' }],
    conditions: [],
    ...status,
  }));
}

export async function publish(store: Store, isPublic: boolean): Promise<void> {
  const product = await store.get(ProductKind, shopRef);
  await store.replace(ProductKind, { ...product, spec: { ...product.spec, statusPage: { public: isPublic } } });
}
