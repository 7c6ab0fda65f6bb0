import type { ReleaseStatus, ReleaseZone, ZonePhase } from './kinds.ts';

export type ZonePatch = { [Field in keyof Omit<ReleaseZone, 'name'>]?: ReleaseZone[Field] | null };

/** Changes one zone's entry, field by field; `null` takes a field away. */
export function patchReleaseZone(status: ReleaseStatus, zone: string, patch: ZonePatch): ReleaseStatus {
  const current = status.zones.find(({ name }) => name === zone) ?? { name: zone, phase: 'Pending' as const };
  const kept = Object.fromEntries(Object.entries({ ...current, ...patch }).filter(([, value]) => value !== null));
  const changed = kept as ReleaseZone;
  const known = status.zones.some(({ name }) => name === zone);
  const zones = known
    ? status.zones.map((entry) => (entry.name === zone ? changed : entry))
    : [...status.zones, changed];
  return { ...status, zones };
}

const settled = new Set<ZonePhase>(['Verified', 'Failed', 'Superseded', 'Rejected', 'Cancelled']);
export const zoneIsSettled = (phase: ZonePhase): boolean => settled.has(phase);
