import { addAttempt, assertAttemptAllowed } from '../../src/rules/access/sign-in-attempts.ts';
import { deviceLimit, providerLimit, type SignInLimit } from '../../src/rules/access/sign-in-throttle.ts';

/** Bounds the memory, because an attacker may have any number of addresses. */
const keysMax = 10_000;

export type SignInThrottle = {
  /** Counts a tool that starts to sign in, and throws when its address has started too many. */
  countDevice: (address: string, nowMs: number) => void;
  /** Counts a response of an identity provider before it is verified, and throws when its address has sent too many. */
  countProviderSignIn: (address: string, nowMs: number) => void;
  /** Forgets a response that was verified. */
  forgetProviderSignIn: (address: string) => void;
};

/**
 * Limits what one address starts without a password. The counts are in the memory of this process, because they limit the
 * work of the process and no guesses.
 */
export function createSignInThrottle(): SignInThrottle {
  const devices = new AttemptCounter(deviceLimit);
  const byProviderAddress = new AttemptCounter(providerLimit);
  return {
    countDevice: (address, nowMs) => devices.count(address, nowMs, 'to sign in a tool from this address'),
    countProviderSignIn: (address, nowMs) => byProviderAddress.count(address, nowMs, 'to sign in from this address'),
    forgetProviderSignIn: (address) => byProviderAddress.removeLast(address),
  };
}

class AttemptCounter {
  readonly #attempts = new Map<string, number[]>();
  readonly #limit: SignInLimit;

  constructor(limit: SignInLimit) {
    this.#limit = limit;
  }

  count(key: string, nowMs: number, what: string): void {
    const earlier = this.#attempts.get(key);
    assertAttemptAllowed(earlier, { limit: this.#limit, nowMs, what });
    this.#attempts.delete(key);
    this.#attempts.set(key, addAttempt(earlier, this.#limit, nowMs));
    const oldest = this.#attempts.keys().next();
    if (this.#attempts.size > keysMax && !oldest.done) this.#attempts.delete(oldest.value);
  }

  removeLast(key: string): void {
    this.#attempts.get(key)?.pop();
  }
}
