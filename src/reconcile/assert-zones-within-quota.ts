import type { Product, ProductSpec } from '../rules/products/kinds.ts';
import { assertWithinQuota, type Quotas } from '../rules/quotas.ts';

/** Throws when a Product adds zones and its org then has more than its quota. `others` are the other Products of the org. */
export function assertZonesWithinQuota(
  quotas: Quotas,
  { spec, before, others }: { spec: ProductSpec; before: ProductSpec | undefined; others: readonly Product[] },
): void {
  const { length: own } = spec.delivery.zones;
  // An org that is above a lowered limit can still change its Products.
  if (own <= (before?.delivery.zones.length ?? 0)) return;
  assertWithinQuota(
    quotas,
    'zonesPerOrg',
    others.reduce((sum, other) => sum + other.spec.delivery.zones.length, own),
  );
}
