import { createClientAddress, type ClientAddress } from '../http/client-address.ts';
import type { Store } from '../../src/store/store.ts';
import { createPasswordAttempts, type PasswordAttempts } from './password-attempts.ts';
import { createPasswordHasher, type PasswordHasher } from './password-hasher.ts';
import { createSignInThrottle, type SignInThrottle } from './sign-in-throttle.ts';

/** The limits on attempts to sign in. */
export type SignInGuards = {
  attempts: PasswordAttempts;
  throttle: SignInThrottle;
  hasher: PasswordHasher;
  clientAddress: ClientAddress;
};

type Deps = { store: Store; config: { trustedProxies: readonly string[] } };

export const createSignInGuards = ({ store, config }: Deps): SignInGuards => ({
  attempts: createPasswordAttempts(store),
  throttle: createSignInThrottle(),
  hasher: createPasswordHasher(),
  clientAddress: createClientAddress(config.trustedProxies),
});
