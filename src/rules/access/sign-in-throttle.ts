/** Ten wrong passwords in a quarter of an hour is more than a person needs and far less than a guesser does. */
export const signInAttemptsMax = 10;
export const signInWindowMs = 15 * 60_000;

/** How long the next attempt has to wait, given when the last ones were; undefined when it may go ahead. */
export function signInPauseMs(attempts: readonly number[], nowMs: number): number | undefined {
  const recent = attempts.filter((at) => at > nowMs - signInWindowMs);
  if (recent.length < signInAttemptsMax) return undefined;
  return Math.min(...recent.slice(-signInAttemptsMax)) + signInWindowMs - nowMs;
}
