import { boundedCache } from '../http/bounded-cache.ts';

export const pollIntervalSeconds = 5;
/** Clocks and networks are not exact. */
const toleranceMs = 1_000;
/** Bounds the memory of the codes that are polled. */
const codesMax = 10_000;

/** Tells when a tool asks for its token too often. The times are those of this process, so a few more are harmless. */
export function createPollGuard(): { isTooSoon(deviceCode: string, nowMs: number): boolean } {
  const polledAt = boundedCache<number>(codesMax);
  return {
    isTooSoon(deviceCode, nowMs) {
      const last = polledAt.get(deviceCode) ?? -Infinity;
      polledAt.set(deviceCode, nowMs);
      return nowMs - last < pollIntervalSeconds * 1000 - toleranceMs;
    },
  };
}
