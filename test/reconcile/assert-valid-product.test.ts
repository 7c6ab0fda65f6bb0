import { expect, it } from 'vitest';
import { assertValidProduct } from '../../src/reconcile/assert-valid-product.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

const zone = (name: string, more: object = {}) => ({ name, ...more });

it.each([
  ['a duplicate zone', { zones: [zone('rc'), zone('rc')] }, '/spec/delivery/zones/1/name', 'is a duplicate'],
  ['a namespace of the cluster', { zones: [zone('argocd')] }, '/spec/delivery/zones/0/name', 'is reserved'],
  ['a name of the installation', { zones: [zone('login')] }, '/spec/delivery/zones/0/name', 'is reserved'],
  [
    'an address of the installation',
    { zones: [zone('rc', { addresses: [{ name: 'status', domain: 'apps.example.net' }] })] },
    '/spec/delivery/zones/0/addresses/0/name',
    'is reserved',
  ],
  [
    'an unknown cluster',
    { zones: [zone('rc', { cluster: 'x' })] },
    '/spec/delivery/zones/0/cluster',
    'is not a workload',
  ],
  ['a duplicate repo', { repos: ['acme/a', 'Acme/A'] }, '/spec/repos/1', 'is a duplicate'],
  ['the repo of another Product', { repos: ['acme/taken'] }, '/spec/repos/0', 'already belongs to the Product "other"'],
  [
    'an address under a domain that is not verified',
    { zones: [zone('rc', { addresses: [{ name: 'www', domain: 'example.com' }] })] },
    '/spec/delivery/zones/0/addresses/0/domain',
    'is not a verified domain',
  ],
])('rejects %s', async (_case, { zones = [], repos = [] }: { zones?: object[]; repos?: string[] }, pointer, detail) => {
  const { deps, store } = await createReconcileDeps();
  await store.create(ProductKind, {
    metadata: { namespace: 'org-acme', name: 'other' },
    spec: { repos: ['acme/taken'], delivery: { zones: [] } } as never,
  });
  const spec = { repos, delivery: { zones } } as never;
  await expect(assertValidProduct(deps, { org: 'acme', name: 'shop', spec })).rejects.toMatchObject({
    reason: 'invalid',
    errors: [{ pointer, detail: expect.stringContaining(detail) as string }],
  });
});
