import { ignoreNotFound, ServiceError } from '../errors.ts';
import { isApplyingInterrupted, isReconciled } from '../rules/conditions.ts';
import { OrganizationKind } from '../rules/orgs/kinds.ts';
import { assertOrgActive } from '../rules/orgs/assert-org-active.ts';
import { defaultZones, withPromotionPolicies } from '../rules/products/default-zones.ts';
import { isProductDeleting } from '../rules/products/is-product-deleting.ts';
import { ProductName } from '../rules/names.ts';
import { environmentsFinalizer, ProductKind, ProductSpec, type Product } from '../rules/products/kinds.ts';
import { assertWithinQuota } from '../rules/quotas.ts';
import { systemNamespace, toOrgName } from '../rules/resource.ts';
import { rejectionMessage, saveAccepted, setAcceptedCondition } from './accepted-condition.ts';
import { applyChangedSettings } from './apply-changed-settings.ts';
import { finishApplying } from './applying-mark.ts';
import { assertValidProduct } from './assert-valid-product.ts';
import type { ReconcileDeps } from './deps.ts';
import { assertValidName, parseSpec } from './parse-spec.ts';
import { releaseRejectedNames, releaseUnusedNames, reserveProductNames } from './reserve-names.ts';
import { startMissingProductWork } from './start-missing-work.ts';
import { wakeSloLoops } from './wake-slo-loops.ts';
import { startProductDeletion } from './start-product-deletion.ts';

/**
 * Does for a Product that was written to the store without the API what the API does: defaults, validation, reservations
 * and signals. Idempotent, and safe to run on several replicas at the same time.
 */
export async function reconcileProduct(deps: ReconcileDeps, product: Product): Promise<void> {
  const { name, namespace, uid } = product.metadata;
  const org = toOrgName(namespace);
  // A process that ended between the mark and the start of the deletion, or did not reach Temporal, left the mark alone.
  if (isProductDeleting(product))
    return void (await startProductDeletion(deps, { org, product: name, uid, by: 'kubectl' }).catch(ignoreNotFound));
  if (isReconciled(product))
    return isApplyingInterrupted(product, deps.now())
      ? await applyAccepted(deps, product)
      : await startMissingProductWork(deps, product);
  let spec: ProductSpec;
  let reserved: Awaited<ReturnType<typeof reserveProductNames>>;
  try {
    spec = await resolveValidSpec(deps, { org, name, product });
    reserved = await reserveProductNames(deps, { org, product: name }, spec);
  } catch (error) {
    return await setAcceptedCondition(deps, ProductKind, product, rejectionMessage(error));
  }
  const accepted = await saveAccepted(deps, ProductKind, product, { spec, finalizer: environmentsFinalizer });
  // Another replica may have accepted a newer spec before the names of this one were reserved.
  if (!accepted) return await releaseRejectedNames(deps, { org, product: name }, reserved);
  await applyAccepted(deps, accepted);
}

/** Does what follows from an accepted spec; idempotent, so it is done again when it was interrupted. */
async function applyAccepted(deps: ReconcileDeps, product: Product): Promise<void> {
  const { metadata } = product;
  const org = toOrgName(metadata.namespace);
  await finishApplying(deps.store, {
    kind: ProductKind,
    object: product,
    async follow() {
      await releaseUnusedNames(deps, { org, product: metadata.name });
      await applyChangedSettings(deps, { org, product });
      await wakeSloLoops(deps, product);
      await setAcceptedCondition(deps, ProductKind, product);
      await startMissingProductWork(deps, product);
    },
  });
}

async function resolveValidSpec(
  deps: ReconcileDeps,
  { org, name, product }: { org: string; name: string; product: Product },
): Promise<ProductSpec> {
  assertOrgActive(await deps.store.get(OrganizationKind, { namespace: systemNamespace, name: org }));
  assertValidName(ProductKind, name, ProductName);
  const parsed = parseSpec(ProductKind, ProductSpec, product);
  const withZones = parsed.delivery.zones.length > 0 ? parsed : { ...parsed, delivery: defaultZones(name) };
  const spec = withPromotionPolicies(name, withZones);
  await assertProductWithinQuota(deps, product);
  await assertValidProduct(deps, { org, name, spec });
  const zoneNames = new Set(spec.delivery.zones.map((zone) => zone.name));
  const running = product.status?.zones?.find(
    ({ name: zone, release, appliedSettings, removal }) =>
      !zoneNames.has(zone) && !removal && (release !== undefined || appliedSettings !== undefined),
  );
  if (running)
    throw new ServiceError(
      'zone-in-use',
      `The zone "${running.name}" runs a Release or has files in the gitops repo. Add it to the list again, and remove it with DELETE /v1/orgs/${org}/products/${name}/zones/${running.name}.`,
    );
  return spec;
}

/** Throws for the Products of an org that were created after its quota was used up, whichever replica sees them first. */
async function assertProductWithinQuota(
  { store, config }: Pick<ReconcileDeps, 'store' | 'config'>,
  { metadata }: Product,
): Promise<void> {
  const { items } = await store.list(ProductKind, { namespace: metadata.namespace });
  const toOrder = ({ creationTimestamp, name }: Product['metadata']): string => `${creationTimestamp} ${name}`;
  const earlier = items.filter((other) => toOrder(other.metadata) < toOrder(metadata));
  assertWithinQuota(config.quotas, 'productsPerOrg', earlier.length + 1);
}
