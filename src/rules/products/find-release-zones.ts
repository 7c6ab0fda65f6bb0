import type { ProductSpec } from './kinds.ts';

/** Returns the names of the release zones, by default the last zone in promotion order. */
export function findReleaseZones({ delivery }: Pick<ProductSpec, 'delivery'>): string[] {
  return delivery.releaseZones ?? delivery.zones.slice(-1).map(({ name }) => name);
}
