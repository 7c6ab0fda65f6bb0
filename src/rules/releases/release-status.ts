import type { ReleaseStatus, ReleaseZone, ZonePhase } from './kinds.ts';

export type ZonePatch = { [Field in keyof Omit<ReleaseZone, 'name'>]?: ReleaseZone[Field] | null };

/** Applies a merge patch to the entry of one zone; `null` removes a field. */
export function patchReleaseZone(status: ReleaseStatus, zone: string, patch: ZonePatch): ReleaseStatus {
  const current = status.zones.find(({ name }) => name === zone) ?? { name: zone, phase: 'Pending' as const };
  const entry = Object.fromEntries(Object.entries({ ...current, ...patch }).filter(([, value]) => value !== null));
  const changed = entry as ReleaseZone;
  const exists = status.zones.some(({ name }) => name === zone);
  const zones = exists ? status.zones.map((one) => (one.name === zone ? changed : one)) : [...status.zones, changed];
  return { ...status, zones };
}

const terminalPhases = new Set<ZonePhase>(['Verified', 'Failed', 'Superseded', 'Rejected', 'Cancelled']);
export const isTerminalZonePhase = (phase: ZonePhase): boolean => terminalPhases.has(phase);
