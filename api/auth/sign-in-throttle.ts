import { ServiceError } from '../../src/errors.ts';
import {
  accountLimit,
  addressLimit,
  deviceLimit,
  providerLimit,
  signInRetryDelayMs,
  type SignInLimit,
} from '../../src/rules/access/sign-in-throttle.ts';

/** Bounds the memory, because an attacker can send any number of made-up accounts. */
const keysMax = 10_000;

export type SignInAttempt = { account: string; address: string };
export type SignInThrottle = {
  /** Counts an attempt before its password is verified, and throws when a limit is reached. */
  countAttempt: (attempt: SignInAttempt, nowMs: number) => void;
  /** Counts a tool that starts to sign in, and throws when its address has started too many. */
  countDevice: (address: string, nowMs: number) => void;
  /** Counts a response of an identity provider before it is verified, and throws when its address has sent too many. */
  countProviderSignIn: (address: string, nowMs: number) => void;
  /** Forgets a response that was verified. */
  forgetProviderSignIn: (address: string) => void;
  /** Forgets the attempts at the account from the address, after one of them succeeded. */
  reset: (attempt: SignInAttempt) => void;
};

/**
 * Limits the attempts at one account from one address, and those from one address at all accounts. No limit spans
 * several addresses, so that no one can lock the owner of an account out from elsewhere. The counts are in the memory of
 * this process: losing them in a restart only allows some more guesses.
 */
export function createSignInThrottle(): SignInThrottle {
  const byAccount = new AttemptCounter(accountLimit);
  const byAddress = new AttemptCounter(addressLimit);
  const devices = new AttemptCounter(deviceLimit);
  const byProviderAddress = new AttemptCounter(providerLimit);
  const accountKey = ({ account, address }: SignInAttempt): string => `${account} ${address}`;
  return {
    countAttempt(attempt, nowMs) {
      byAccount.assertAllowed(accountKey(attempt), nowMs, 'to sign in to this account');
      byAddress.assertAllowed(attempt.address, nowMs, 'to sign in from this address');
      byAccount.add(accountKey(attempt), nowMs);
      byAddress.add(attempt.address, nowMs);
    },
    countDevice(address, nowMs) {
      devices.assertAllowed(address, nowMs, 'to sign in a tool from this address');
      devices.add(address, nowMs);
    },
    countProviderSignIn(address, nowMs) {
      byProviderAddress.assertAllowed(address, nowMs, 'to sign in from this address');
      byProviderAddress.add(address, nowMs);
    },
    forgetProviderSignIn: (address) => byProviderAddress.removeLast(address),
    reset(attempt) {
      byAccount.delete(accountKey(attempt));
      // Only the successful attempt is taken back: a caller with an account of their own could otherwise guess for ever.
      byAddress.removeLast(attempt.address);
    },
  };
}

class AttemptCounter {
  readonly #attempts = new Map<string, number[]>();
  readonly #limit: SignInLimit;

  constructor(limit: SignInLimit) {
    this.#limit = limit;
  }

  assertAllowed(key: string, nowMs: number, what: string): void {
    const retryAfterMs = signInRetryDelayMs(this.#attempts.get(key) ?? [], this.#limit, nowMs);
    if (retryAfterMs === undefined) return;
    throw new ServiceError('sign-in-throttled', `Too many attempts ${what}. Wait, then try again.`, { retryAfterMs });
  }

  add(key: string, nowMs: number): void {
    const earlier = this.#attempts.get(key) ?? [];
    this.#attempts.delete(key);
    this.#attempts.set(key, [...earlier, nowMs].slice(-this.#limit.attemptsMax));
    const oldest = this.#attempts.keys().next();
    if (this.#attempts.size > keysMax && !oldest.done) this.#attempts.delete(oldest.value);
  }

  removeLast(key: string): void {
    this.#attempts.get(key)?.pop();
  }

  delete(key: string): void {
    this.#attempts.delete(key);
  }
}
