import { ProductKind, type ZoneStatus } from '../../src/rules/catalog/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

type ZoneRef = { org: string; product: string; zone: string };
type Patch = { [Field in keyof Omit<ZoneStatus, 'name'>]?: ZoneStatus[Field] | null };

/** Changes a zone's entry in its Product's status, field by field; `null` takes a field away. */
export async function changeZoneStatus(store: Store, { org, product, zone }: ZoneRef, patch: Patch): Promise<void> {
  const ref = { namespace: orgNamespace(org), name: product };
  if (!(await isKept(store, { org, product, zone }))) return;
  await store.updateStatus(ProductKind, ref, ({ status }) => {
    const zones = status?.zones ?? [];
    const before = zones.find(({ name }) => name === zone);
    const entries = Object.entries({ ...before, ...patch, name: zone }).filter(([, value]) => value !== null);
    return {
      ...status,
      zones: [...zones.filter(({ name }) => name !== zone), Object.fromEntries(entries) as ZoneStatus],
    };
  });
}

/** Whether there is anything to be told of a zone: one that is off the list and has no entry any more is gone. */
export async function isKept(store: Store, { org, product, zone }: ZoneRef): Promise<boolean> {
  const found = await store.find(ProductKind, { namespace: orgNamespace(org), name: product });
  const zones = [...(found?.spec.delivery.zones ?? []), ...(found?.status?.zones ?? [])];
  return zones.some(({ name }) => name === zone);
}

/** Whether the zone is on the list of a Product that stays. */
export async function isWanted(store: Store, { org, product, zone }: ZoneRef): Promise<boolean> {
  const found = await store.find(ProductKind, { namespace: orgNamespace(org), name: product });
  const isGoing = found?.status?.deletion !== undefined || found?.metadata.deletionTimestamp !== undefined;
  return !isGoing && (found?.spec.delivery.zones ?? []).some(({ name }) => name === zone);
}
