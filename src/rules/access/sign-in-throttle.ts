/** A person rarely needs ten attempts in a quarter of an hour, and guessing a password takes far more. */
export const signInAttemptsMax = 10;
export const signInWindowMs = 15 * 60_000;

/** Returns how long the next attempt must wait, or undefined when it is allowed now. */
export function signInRetryDelayMs(attempts: readonly number[], nowMs: number): number | undefined {
  const recent = attempts.filter((at) => at > nowMs - signInWindowMs);
  if (recent.length < signInAttemptsMax) return undefined;
  return Math.min(...recent.slice(-signInAttemptsMax)) + signInWindowMs - nowMs;
}
