/** The number of attempts that are allowed within the window. */
export type SignInLimit = { attemptsMax: number };

/** A person rarely needs ten attempts in a quarter of an hour, and guessing a password takes far more. */
export const accountLimit: SignInLimit = { attemptsMax: 10 };
/** People who share an address rarely fail this often, while trying one password at many accounts does at once. */
export const addressLimit: SignInLimit = { attemptsMax: 20 };
/** Each tool that starts to sign in is stored until it has expired. */
export const deviceLimit: SignInLimit = { attemptsMax: 30 };
/** Each response makes the service send a request with its client secret to the identity provider. */
export const providerLimit: SignInLimit = { attemptsMax: 30 };
export const signInWindowMs = 15 * 60_000;

/** Returns how long the next attempt must wait, or undefined when it is allowed now. */
export function signInRetryDelayMs(
  attempts: readonly number[],
  { attemptsMax }: SignInLimit,
  nowMs: number,
): number | undefined {
  const recent = attempts.filter((at) => at > nowMs - signInWindowMs);
  if (recent.length < attemptsMax) return undefined;
  return Math.min(...recent.slice(-attemptsMax)) + signInWindowMs - nowMs;
}
