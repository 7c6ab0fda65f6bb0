import { invalid } from '../../src/errors.ts';
import { toCanonicalHost } from '../../src/rules/registries/registry-address.ts';
import type { Registry, RegistrySettings } from '../../src/rules/registries/registry.ts';

type Requested = Omit<RegistrySettings, 'password'> & { password?: string | undefined };

/**
 * Adds the stored password to settings without one. It may only be reused for the same host: a caller could otherwise send
 * it to a server of their own.
 */
export function keepPassword(
  { password, ...requested }: Requested,
  stored: Registry | undefined,
  pointer = '/password',
): RegistrySettings {
  if (password !== undefined) return { ...requested, password };
  if (stored && toCanonicalHost(requested.host) === toCanonicalHost(stored.host))
    return { ...requested, password: stored.password };
  const errors = [{ pointer, detail: 'is missing' }];
  if (!stored) throw invalid('The registry requires a password.', errors);
  throw invalid('Another host requires a password. The stored one is reused only for the same host.', errors);
}
