import { defined } from '../../defined.ts';
import { applyMergePatch, type MergePatch } from '../apply-merge-patch.ts';
import type { ReleaseAttempt, ReleaseStatus, ReleaseZone, ZonePhase } from './kinds.ts';

export type ZonePatch = MergePatch<Omit<ReleaseZone, 'name'>>;

/** Applies a merge patch to the entry of one zone; `null` removes a field, and another Promotion begins a new entry. */
export function patchReleaseZone(status: ReleaseStatus, zone: string, patch: ZonePatch): ReleaseStatus {
  const known = status.zones.find(({ name }) => name === zone);
  const isOther = typeof patch.promotion === 'string' && patch.promotion !== known?.promotion;
  const current = known && !isOther ? known : { name: zone, phase: 'Pending' as const };
  const changed = applyMergePatch<ReleaseZone>(current, patch);
  const exists = status.zones.some(({ name }) => name === zone);
  const zones = exists ? status.zones.map((one) => (one.name === zone ? changed : one)) : [...status.zones, changed];
  return { ...status, zones };
}

const terminalPhases = new Set<ZonePhase>(['Verified', 'Failed', 'Superseded', 'Rejected', 'Cancelled']);
export const isTerminalZonePhase = (phase: ZonePhase): boolean => terminalPhases.has(phase);

const attemptsMax = 30;

/** Returns the status of a Release that starts, or starts again. The runs that its tag started are not started twice. */
export function restartRelease(before: ReleaseStatus | undefined, started: ReleaseStatus): ReleaseStatus {
  if (!before) return started;
  const { phase, startedBy, startedAt, finishedAt, failure, attempts = [], cutRuns } = before;
  const ended: ReleaseAttempt = defined({ phase, startedBy, startedAt, finishedAt, failure });
  // A repeated start finds the attempt that it began, which has not finished.
  const earlier = finishedAt === undefined ? attempts : [...attempts, ended].slice(-attemptsMax);
  return { ...started, ...(cutRuns && { cutRuns }), ...(earlier.length > 0 && { attempts: earlier }) };
}
