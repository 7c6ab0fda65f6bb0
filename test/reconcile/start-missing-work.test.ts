import { expect, it } from 'vitest';
import { startMissingWork } from '../../src/reconcile/start-missing-work.ts';
import { orgFinalizer, OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { type Product, ProductKind } from '../../src/rules/products/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { createActiveRestore, createReconcileDeps } from './reconcile-fixture.ts';

async function createWork() {
  const { deps, store, calls } = await createReconcileDeps();
  const org = { namespace: systemNamespace, name: 'umbrella' };
  const spec = { codehostAccount: 'umbrella', gitopsRepo: 'umbrella/gitops' };
  await store.create(OrganizationKind, { metadata: { ...org, finalizers: [orgFinalizer] }, spec });
  await store.delete(OrganizationKind, org);
  const createProduct = async (
    name: string,
    status: NonNullable<Product['status']>,
    source?: Product['spec']['source'],
  ): Promise<void> => {
    const metadata = { namespace: 'org-acme', name };
    await store.create(ProductKind, {
      metadata,
      spec: { repos: [], delivery: { zones: [] }, ...(source && { source }) },
    });
    await store.updateStatus(ProductKind, metadata, () => status);
  };
  const removal = { by: 'jo@example.com', since: '2027-01-01T00:00:00Z', message: 'Requested.', remaining: [] };
  await createProduct('deleted', { deletionMessage: 'its zones are being removed', deletedBy: 'ada@example.com' });
  await createProduct('shop', { zones: [{ name: 'shop-old', removal }] });
  await createProduct('fresh', {}, { repo: 'acme/fresh', template: 'node-service' });
  await createProduct('idle', { zones: [{ name: 'idle-prod' }] });
  return { deps, store, calls };
}

it('starts the deletions, removals and repo creations whose start was lost, and nothing else', async () => {
  const { deps, calls } = await createWork();
  await startMissingWork(deps);
  expect(calls).toEqual([
    { type: 'deleteOrg', workflowId: 'delete-org/umbrella', by: 'recovery' },
    { type: 'deleteProduct', workflowId: 'delete-product/acme/deleted', by: 'ada@example.com' },
    { type: 'scaffoldProduct', workflowId: expect.stringContaining('scaffold-product/acme/fresh/'), by: 'kubectl' },
    { type: 'manageZone', workflowId: 'manage-zone/acme/shop/shop-old', signal: 'removeZone' },
  ]);
});

it('leaves them to a restore that writes resources', async () => {
  const { deps, store, calls } = await createWork();
  await createActiveRestore(store);
  await startMissingWork(deps);
  expect(calls).toEqual([]);
});
