import type { ProductSpec } from './kinds.ts';

/** Returns the names of the zones whose users the Product serves: the last in promotion order unless the spec names others. */
export function findReleaseZones({ delivery }: Pick<ProductSpec, 'delivery'>): string[] {
  return delivery.releaseZones ?? delivery.zones.slice(-1).map(({ name }) => name);
}
