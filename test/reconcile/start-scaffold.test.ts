import { expect, it } from 'vitest';
import { startMissingScaffold } from '../../src/reconcile/start-scaffold.ts';
import { type Product, ProductKind } from '../../src/rules/products/kinds.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

const source = { repo: 'acme/shop', template: 'node-service' as const };
const startedAt = '2027-01-01T00:00:00Z';

it.each<[what: string, more: { source?: typeof source; status?: Product['status'] }, starts: number]>([
  ['a Product whose repo is to be created', { source }, 1],
  ['a Product with a repo of its own', {}, 0],
  [
    'a Product whose repo is being created',
    { source, status: { scaffold: { phase: 'CreatingRepo', message: 'The repo is being created.', startedAt } } },
    0,
  ],
  ['a Product that is being deleted', { source, status: { deletionMessage: 'its zones are being removed' } }, 0],
])('decides on %s', async (_what, { status, ...more }, starts) => {
  const { deps, store, calls } = await createReconcileDeps();
  const ref = { namespace: 'org-acme', name: 'shop' };
  const spec = { repos: ['acme/shop'], delivery: { zones: [] }, ...more };
  await store.create(ProductKind, { metadata: ref, spec });
  if (status) await store.updateStatus(ProductKind, ref, () => status);
  await startMissingScaffold(deps, await store.get(ProductKind, ref));
  expect(calls).toHaveLength(starts);
});
