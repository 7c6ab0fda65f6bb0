import { applyMergePatch, type MergePatch } from '../../src/rules/apply-merge-patch.ts';
import { isProductDeleting } from '../../src/rules/products/is-product-deleting.ts';
import { ProductKind, type ZoneStatus } from '../../src/rules/products/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

type ZoneRef = { org: string; product: string; zone: string };
type ZoneStatusPatch = MergePatch<Omit<ZoneStatus, 'name'>>;

/** Patches a zone's entry in the status of its Product; `null` removes a field. */
export async function recordZoneStatus(
  store: Store,
  { org, product, zone }: ZoneRef,
  patch: ZoneStatusPatch,
): Promise<void> {
  const ref = { namespace: orgNamespace(org), name: product };
  if (!(await isZoneKnown(store, { org, product, zone }))) return;
  await store.updateStatus(ProductKind, ref, ({ status }) => {
    const zones = status?.zones ?? [];
    const before = zones.find(({ name }) => name === zone) ?? { name: zone };
    return {
      ...status,
      zones: [...zones.filter(({ name }) => name !== zone), applyMergePatch<ZoneStatus>(before, patch)],
    };
  });
}

/** A zone is gone once it is neither in the spec nor in the status; no status is recorded for it then. */
export async function isZoneKnown(store: Store, { org, product, zone }: ZoneRef): Promise<boolean> {
  const found = await store.find(ProductKind, { namespace: orgNamespace(org), name: product });
  const zones = [...(found?.spec.delivery.zones ?? []), ...(found?.status?.zones ?? [])];
  return zones.some(({ name }) => name === zone);
}

/** Returns true when the zone is in the spec of a Product that is not being deleted. */
export async function isZoneDesired(store: Store, { org, product, zone }: ZoneRef): Promise<boolean> {
  const found = await store.find(ProductKind, { namespace: orgNamespace(org), name: product });
  return (
    found !== undefined && !isProductDeleting(found) && found.spec.delivery.zones.some(({ name }) => name === zone)
  );
}

/** Returns true once a Release was written for the zone since it was added; its entry is deleted with the zone. */
export async function isZoneDeployed(store: Store, { org, product, zone }: ZoneRef): Promise<boolean> {
  const { status } = await store.get(ProductKind, { namespace: orgNamespace(org), name: product });
  const entry = status?.zones?.find(({ name }) => name === zone);
  return entry?.release !== undefined || entry?.imageRepository !== undefined;
}
