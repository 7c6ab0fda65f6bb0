const secondMs = 1_000;
const hourMs = 3_600_000;

/** Reviews take days, and include weekends. */
export const changeMergeWaitMs = 7 * 24 * hourMs;
/** A promotion that waits holds up newer ones. */
export const promotionMergeWaitMs = 24 * hourMs;

/** Returns the time until a blocked merge is tried again: a tenth of the wait so far, from 1 second to 2 minutes. */
export const mergeRetryDelayMs = (waitedMs: number): number =>
  Math.min(Math.max(waitedMs / 10, secondMs), 120 * secondMs);
