import { ignoreNotFound } from '../errors.ts';
import { OrganizationKind } from '../rules/orgs/kinds.ts';
import { isProductDeleting } from '../rules/products/is-product-deleting.ts';
import { type Product, ProductKind } from '../rules/products/kinds.ts';
import { isDeleting, systemNamespace, toOrgName } from '../rules/resource.ts';
import { findActiveRestore } from '../store/find-active-restore.ts';
import type { ReconcileDeps } from './deps.ts';
import { startMissingRemovals } from './start-missing-removals.ts';
import { startOrgDeletion } from './start-org-deletion.ts';
import { startProductDeletion } from './start-product-deletion.ts';
import { startMissingScaffold } from './start-scaffold.ts';

/**
 * Starts the deletions, removals and repo creations that were accepted: a request may have ended before its start, or have
 * met an outage of the workflow server. Has no effect on those in progress.
 */
export async function startMissingWork(deps: Pick<ReconcileDeps, 'store' | 'temporal'>): Promise<void> {
  const { store } = deps;
  // The restore starts all open work when it has written the resources.
  if (await findActiveRestore(store)) return;
  const by = 'recovery';
  const { items: orgs } = await store.list(OrganizationKind, { namespace: systemNamespace });
  for (const { metadata } of orgs.filter(isDeleting))
    await startOrgDeletion(deps, { org: metadata.name, uid: metadata.uid, by }).catch(ignoreNotFound);
  const { items: products } = await store.list(ProductKind);
  for (const product of products) {
    const { namespace, name, uid } = product.metadata;
    if (isProductDeleting(product)) {
      const input = { org: toOrgName(namespace), product: name, uid, by };
      await startProductDeletion(deps, input).catch(ignoreNotFound);
      continue;
    }
    await startMissingProductWork(deps, product);
  }
}

/** Starts the removals of zones and the creation of the repo that a Product waits for. */
export async function startMissingProductWork(
  deps: Pick<ReconcileDeps, 'store' | 'temporal'>,
  product: Product,
): Promise<void> {
  await startMissingRemovals(deps, product);
  await startMissingScaffold(deps, product);
}
