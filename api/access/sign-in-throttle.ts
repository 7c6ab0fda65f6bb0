import { ServiceError } from '../../src/errors.ts';
import { signInAttemptsMax, signInPauseMs } from '../../src/rules/access/sign-in-throttle.ts';

/** A guesser must not be able to fill the memory with made-up accounts. */
const keysMax = 10_000;

export type SignInThrottle = {
  /** Counts an attempt before its password is looked at; refused when there were too many. */
  attempt: (key: string, nowMs: number) => void;
  forget: (key: string) => void;
};

/** Kept by this process alone: what a restart forgets only gives a guesser ten more guesses. */
export function createSignInThrottle(): SignInThrottle {
  const attempts = new Map<string, number[]>();
  return {
    attempt(key, nowMs) {
      const before = attempts.get(key) ?? [];
      const pauseMs = signInPauseMs(before, nowMs);
      if (pauseMs !== undefined)
        throw new ServiceError(
          'too-many-requests',
          'Too many attempts to sign in to this account. Wait, then try again.',
          { retryAfterMs: pauseMs },
        );
      attempts.delete(key);
      attempts.set(key, [...before, nowMs].slice(-signInAttemptsMax));
      const oldest = attempts.keys().next();
      if (attempts.size > keysMax && !oldest.done) attempts.delete(oldest.value);
    },
    forget: (key) => void attempts.delete(key),
  };
}
