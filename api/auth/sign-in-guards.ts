import { createClientAddress, type ClientAddress } from '../http/client-address.ts';
import { createPasswordHasher, type PasswordHasher } from './password-hasher.ts';
import { createSignInThrottle, type SignInThrottle } from './sign-in-throttle.ts';

/** The limits of a process on attempts to sign in. */
export type SignInGuards = { throttle: SignInThrottle; hasher: PasswordHasher; clientAddress: ClientAddress };

export const createSignInGuards = ({ trustedProxies }: { trustedProxies: readonly string[] }): SignInGuards => ({
  throttle: createSignInThrottle(),
  hasher: createPasswordHasher(),
  clientAddress: createClientAddress(trustedProxies),
});
