import { hash, verify } from '@node-rs/argon2';
import { ServiceError } from '../../src/errors.ts';

/** Four run at once and the rest wait for them, each for some 50 ms and with 19 MiB; callers wait less than a second. */
const inFlightMax = 16;

/** Hashes and verifies passwords with argon2id. */
export type PasswordHasher = {
  hash: (password: string) => Promise<string>;
  verify: (passwordHash: string, password: string) => Promise<boolean>;
};

/** Bounds the hashes that this process computes at once, because every stranger can ask for one without signing in. */
export function createPasswordHasher(
  argon2: PasswordHasher = { hash: (password) => hash(password), verify: (text, password) => verify(text, password) },
): PasswordHasher {
  let inFlight = 0;
  const run = async <T>(compute: () => Promise<T>): Promise<T> => {
    if (inFlight >= inFlightMax)
      throw new ServiceError('sign-in-busy', 'Too many sign-ins are in progress. Try again in a second.', {
        retryAfterMs: 1_000,
      });
    inFlight += 1;
    try {
      return await compute();
    } finally {
      inFlight -= 1;
    }
  };
  return {
    hash: (password) => run(() => argon2.hash(password)),
    verify: (passwordHash, password) => run(() => argon2.verify(passwordHash, password)),
  };
}
