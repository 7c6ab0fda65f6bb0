const initialBackoffMs = 200;
const backoffMaxMs = 10_000;

/** Returns the wait before the next attempt, after this many consecutive failures. */
export const computeBackoffMs = (failures: number): number =>
  Math.min(backoffMaxMs, initialBackoffMs * 2 ** (failures - 1));
