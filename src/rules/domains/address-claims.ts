import { isUnder } from './host-name.ts';
import { zoneClaim } from '../catalog/claims.ts';

/**
 * The object in the installation's namespace that holds an address for one zone. Under the platform domain addresses
 * and zones' own names are one: whoever has the one cannot be met by the other.
 */
export function addressClaim(host: string, platformDomain: string | undefined): string {
  if (platformDomain !== undefined && isUnder(host, platformDomain))
    return zoneClaim(host.slice(0, -platformDomain.length - 1));
  return `address-${host}`;
}

/** What the claims of all addresses under one domain have alike; a label cannot hold every name in full. */
export const addressLabels = (domain: string): Record<string, string> => ({
  'service.delivery/address-domain': domain.slice(-63).replace(/^[-.]+/, ''),
});
