import { expect, it } from 'vitest';
import { startMissingRemovals } from '../../src/reconcile/start-missing-removals.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

it('signals the zones that the list lacks and whose removal has not begun', async () => {
  const { deps, store, calls } = await createReconcileDeps();
  const metadata = { namespace: 'org-acme', name: 'shop' };
  const kept = { name: 'shop-rc', promotionPolicy: 'automatic' } as const;
  await store.create(ProductKind, { metadata, spec: { repos: [], delivery: { zones: [kept] } } });
  const removal = { by: 'ada', since: '2026-12-31T00:00:00.000Z', message: 'It goes.', remaining: [] };
  const product = await store.updateStatus(ProductKind, metadata, () => ({
    zones: [
      { name: 'shop-rc', removal },
      { name: 'shop-old', removal },
      { name: 'shop-begun', removal: { ...removal, step: 'namespace' as const } },
      { name: 'shop-kept' },
    ],
  }));
  await startMissingRemovals(deps, product);
  expect(calls).toEqual([{ type: 'manageZone', workflowId: 'manage-zone/acme/shop/shop-old', signal: 'removeZone' }]);
});
