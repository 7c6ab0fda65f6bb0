import type { Product } from '../products/kinds.ts';
import type { Release } from '../releases/kinds.ts';
import { compareVersions } from '../releases/next-version.ts';
import { promotionViolation } from './promotion-violation.ts';

/** A zone that runs nothing offers the newest Release that a person could promote to it. */
export function findOfferedRelease(
  { spec, status }: Pick<Product, 'spec' | 'status'>,
  zone: string,
  releases: readonly Release[],
): Release | undefined {
  const zones = spec.delivery.zones.map(({ name }) => name);
  const { release, currentPromotion, removal } = status?.zones?.find(({ name }) => name === zone) ?? {};
  if (!zones.includes(zone) || release !== undefined || currentPromotion !== undefined || removal) return undefined;
  return releases
    .filter((candidate) => promotionViolation(candidate, zone, zones) === undefined)
    .toSorted((one, other) => compareVersions(other.spec.version, one.spec.version))[0];
}
