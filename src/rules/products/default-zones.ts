import type { ProductSpec, ZoneSpec } from './kinds.ts';

const preProductionName = (product: string): string => `${product}-rc`;
const productionName = (product: string): string => `${product}-prod`;

/** The settings of a zone by default: production needs an approval, and only people of the org can open it. */
export const defaultZone = (product: string, name: string): ZoneSpec => ({
  name,
  promotionPolicy: getPromotionPolicy(product, { name }),
  access: name === productionName(product) ? 'signed-in' : 'public',
});

/** The zones of a Product that is created without any. */
export const defaultZones = (product: string): ProductSpec['delivery'] => ({
  zones: [preProductionName(product), productionName(product)].map((name) => defaultZone(product, name)),
});

/** Returns the name of the default pair that a Product lacks, pre-production first. */
export const findMissingZoneName = (product: string, zones: readonly Pick<ZoneSpec, 'name'>[]): string | undefined =>
  [preProductionName(product), productionName(product)].find((name) => !zones.some((zone) => zone.name === name));

export const getPromotionPolicy = (
  product: string,
  { name, promotionPolicy }: Pick<ZoneSpec, 'name' | 'promotionPolicy'>,
): NonNullable<ZoneSpec['promotionPolicy']> =>
  promotionPolicy ?? (name === productionName(product) ? 'after-approval' : 'automatic');

/** Writes the default policy into the spec, so that everyone who reads the Product sees it. */
export const withPromotionPolicies = (product: string, spec: ProductSpec): ProductSpec => ({
  ...spec,
  delivery: {
    ...spec.delivery,
    zones: spec.delivery.zones.map((zone) => ({ ...zone, promotionPolicy: getPromotionPolicy(product, zone) })),
  },
});
