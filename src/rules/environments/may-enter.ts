import type { Release } from '../releases/kinds.ts';

/**
 * Why a Release may not come into a zone, if so: it has to be built, and to have run there before or to be verified in
 * every zone before it, whoever asks.
 */
export function entryRefusal(release: Release, zone: string, zonesInOrder: readonly string[]): string | undefined {
  const { status } = release;
  const version = release.spec.version;
  if (status?.digest === undefined) return `${version} is not built.`;
  const entryOf = (name: string) => status.zones.find((entry) => entry.name === name);
  if (entryOf(zone)?.healthyAt !== undefined) return undefined;
  const missing = zonesInOrder
    .slice(0, zonesInOrder.indexOf(zone))
    .find((name) => entryOf(name)?.verifiedAt === undefined);
  return missing === undefined
    ? undefined
    : `${version} is not verified in the zone "${missing}", which comes before it.`;
}
