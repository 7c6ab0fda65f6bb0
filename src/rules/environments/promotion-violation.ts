import type { Release } from '../releases/kinds.ts';

/**
 * Returns why a Release cannot be promoted to a zone. It must be built, and it must have run in the zone before or be verified
 * in every earlier zone; this also applies to manual promotions.
 */
export function promotionViolation(
  release: Release,
  zone: string,
  zonesInOrder: readonly string[],
): string | undefined {
  const { status } = release;
  const version = release.spec.version;
  if (status?.digest === undefined) return `${version} is not built.`;
  const findEntry = (name: string) => status.zones.find((entry) => entry.name === name);
  if (findEntry(zone)?.healthyAt !== undefined) return undefined;
  const missing = zonesInOrder
    .slice(0, zonesInOrder.indexOf(zone))
    .find((name) => findEntry(name)?.verifiedAt === undefined);
  return missing === undefined ? undefined : `${version} is not verified in the earlier zone "${missing}".`;
}
