import { ServiceError } from '../../src/errors.ts';
import { signInAttemptsMax, signInRetryDelayMs } from '../../src/rules/access/sign-in-throttle.ts';

/** Bounds the memory, because an attacker can send any number of made-up accounts. */
const keysMax = 10_000;

export type SignInThrottle = {
  /** Counts an attempt before its password is verified, and throws when the limit is reached. */
  countAttempt: (key: string, nowMs: number) => void;
  reset: (key: string) => void;
};

/** Counts in the memory of this process: losing the counts in a restart only allows ten more guesses. */
export function createSignInThrottle(): SignInThrottle {
  const attempts = new Map<string, number[]>();
  return {
    countAttempt(key, nowMs) {
      const earlier = attempts.get(key) ?? [];
      const retryDelayMs = signInRetryDelayMs(earlier, nowMs);
      if (retryDelayMs !== undefined)
        throw new ServiceError(
          'sign-in-throttled',
          'Too many attempts to sign in to this account. Wait, then try again.',
          { retryAfterMs: retryDelayMs },
        );
      attempts.delete(key);
      attempts.set(key, [...earlier, nowMs].slice(-signInAttemptsMax));
      const oldest = attempts.keys().next();
      if (attempts.size > keysMax && !oldest.done) attempts.delete(oldest.value);
    },
    reset: (key) => void attempts.delete(key),
  };
}
