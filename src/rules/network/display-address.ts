import { addressScope } from './address-scope.ts';
import { type InsideDestination, isAllowedInside } from './allowed-inside.ts';

/** Returns the text of an address for a tenant, who must not learn the addresses of the installation's network. */
export function displayAddress(allowed: readonly InsideDestination[], address: string): string {
  const scope = addressScope(address);
  const isShown =
    scope === 'public' || scope === 'reserved' || isAllowedInside(allowed, { host: address, port: 0, address });
  return isShown ? address : 'a private address';
}
