import { expect, it, vi } from 'vitest';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { acceptedGenerationAnnotation } from '../../../src/rules/conditions.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { zoneReservationName } from '../../../src/rules/products/reservations.ts';
import { captureStarts } from '../../support/workflows/capture-starts.ts';
import { forgetResponses } from '../../support/forget-responses.ts';
import { startApi } from '../../support/start-api.ts';

const products = '/v1/orgs/acme/products';

it('422: points at the field of the request that a wrong repo or zone is made from', async () => {
  const { request } = await startApi({ role: 'org-admin' });
  const template = 'node-service';
  for (const [name, spec, pointer] of [
    ['shop', { repos: ['acme/gitops'] }, '/spec/repos/0'],
    ['gitops', { source: { template } }, '/name'],
    ['shop', { source: { template, repo: 'acme/gitops' } }, '/spec/source/repo'],
    ['shop', { repos: ['acme/gitops'], source: { template, repo: 'acme/gitops' } }, '/spec/repos/0'],
    ['shop', { source: { template }, delivery: { zones: [{ name: 'argocd' }] } }, '/spec/delivery/zones/0/name'],
  ] as const) {
    const response = await request(products, { method: 'POST', body: { name, spec } });
    const { status, errors } = (await response.json()) as { status: number; errors: { pointer: string }[] };
    expect([status, errors[0]?.pointer], JSON.stringify({ name, spec })).toEqual([422, pointer]);
  }
});

it('201: completes a request that was interrupted, for its own Idempotency-Key only', async () => {
  const { request, store } = await startApi({ role: 'org-admin', temporal: captureStarts().temporal });
  const create = async (key: string, role: 'org-admin' | 'platform-admin' = 'org-admin') => {
    const body = { name: 'shop', spec: { repos: ['acme/shop'] } };
    const response = await request(products, { method: 'POST', body, headers: { 'Idempotency-Key': key }, role });
    await forgetResponses(store);
    return { status: response.status, replayed: response.headers.get('Idempotent-Replayed') };
  };
  expect(await create('one')).toEqual({ status: 201, replayed: null });
  const { uid } = (await store.get(ProductKind, { namespace: 'org-acme', name: 'shop' })).metadata;
  expect(await create('one')).toEqual({ status: 201, replayed: null });
  expect((await store.list(ProductKind)).items.map(({ metadata }) => metadata.uid)).toEqual([uid]);
  expect((await create('two')).status).toBe(409);
  expect((await create('one', 'platform-admin')).status).toBe(409);
  await store.updateStatus(ProductKind, { namespace: 'org-acme', name: 'shop' }, () => ({ deletionMessage: 'by ada' }));
  expect((await create('one')).status).toBe(409);
});

it('409: leaves no name reserved when another request has created the Product meanwhile', async () => {
  const { request, store } = await startApi({ role: 'org-admin' });
  const { create } = store;
  const metadata = { namespace: 'org-acme', name: 'shop', annotations: { [acceptedGenerationAnnotation]: '1' } };
  const raced = vi.spyOn(store, 'create').mockImplementation(async (kind, object) => {
    const created = await create(kind, object);
    const zones = [{ name: 'shop-rc', promotionPolicy: 'automatic' as const }];
    if (object.metadata.name === zoneReservationName('shop-prod'))
      await create(ProductKind, { metadata, spec: { repos: [], delivery: { zones } } });
    return created;
  });
  const response = await request(products, { method: 'POST', body: { name: 'shop', spec: { repos: ['acme/shop'] } } });
  raced.mockRestore();
  expect(response.status).toBe(409);
  const names = (await store.list(ConfigMapKind, { namespace: 'service-system' })).items.map(
    (item) => item.metadata.name,
  );
  expect(names.filter((name) => name.includes('shop'))).toEqual(['product-shop', 'zone-shop-rc']);
});
