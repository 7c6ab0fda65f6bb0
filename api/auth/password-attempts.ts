import { hash } from 'node:crypto';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import {
  addAttempt,
  assertAttemptAllowed,
  type Attempts,
  readAttempts,
  toAttemptsData,
} from '../../src/rules/access/sign-in-attempts.ts';
import { accountLimit, addressLimit } from '../../src/rules/access/sign-in-throttle.ts';
import { signInAttemptLabels } from '../../src/rules/expiry.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { applyObject } from '../../src/store/apply-object.ts';
import type { Store } from '../../src/store/store.ts';

export type SignInAttempt = { account: string; address: string };
export type PasswordAttempts = {
  /** Counts an attempt before its password is verified, and throws when a limit is reached. */
  count: (attempt: SignInAttempt, nowMs: number) => Promise<void>;
  /** Forgets the attempts at the account from the address, after one of them succeeded. */
  reset: (attempt: SignInAttempt, nowMs: number) => Promise<void>;
};

/**
 * Limits the attempts at one account from one address, and those from one address at all accounts. No limit spans
 * several addresses, so that no one can lock the owner of an account out from elsewhere. The counts are in the store, so
 * that they hold for all replicas and outlive a restart.
 */
export function createPasswordAttempts(store: Store): PasswordAttempts {
  /** An address belongs to one of 256 objects, so that an attacker with many addresses creates no more. */
  const change = async (address: string, nowMs: number, edit: (attempts: Attempts) => void): Promise<void> => {
    const name = `sign-in-attempts-${hash('sha256', address).slice(0, 2)}`;
    const ref = { namespace: systemNamespace, name, labels: signInAttemptLabels };
    const build = (stored: { data?: Record<string, string> } | undefined) => {
      const attempts = readAttempts(stored?.data, nowMs);
      edit(attempts);
      return { data: toAttemptsData(attempts) };
    };
    await applyObject(store, ConfigMapKind, { ref, build });
  };

  return {
    count: async (attempt, nowMs) =>
      await change(attempt.address, nowMs, (attempts) => {
        const { account, address } = toKeys(attempt);
        const [atAccount, fromAddress] = [attempts.get(account), attempts.get(address)];
        assertAttemptAllowed(atAccount, { limit: accountLimit, nowMs, what: 'to sign in to this account' });
        assertAttemptAllowed(fromAddress, { limit: addressLimit, nowMs, what: 'to sign in from this address' });
        attempts.set(account, addAttempt(atAccount, accountLimit, nowMs));
        attempts.set(address, addAttempt(fromAddress, addressLimit, nowMs));
      }),
    reset: async (attempt, nowMs) =>
      await change(attempt.address, nowMs, (attempts) => {
        const { account, address } = toKeys(attempt);
        attempts.delete(account);
        // Only the successful attempt is taken back: a caller with an account of their own could otherwise guess for ever.
        attempts.set(address, (attempts.get(address) ?? []).slice(0, -1));
      }),
  };
}

/** The names are hashes, so that a made-up account can have any characters and the store names no address. */
const toKeys = ({ account, address }: SignInAttempt) => ({
  account: hash('sha256', JSON.stringify([account, address])).slice(0, 32),
  address: hash('sha256', address).slice(0, 32),
});
