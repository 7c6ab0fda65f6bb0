import { isSubdomain } from './host-name.ts';
import { zoneReservationName } from '../products/reservations.ts';

type ReservedHost = { host: string; domainOwner: string | undefined };

/**
 * Names the object in the installation's namespace that reserves an address for one zone. Under the platform domain an
 * address is also the name of a zone, so both use the same reservation. Other reservations belong to one owner of the
 * domain: a domain that changes hands leaves its old owner's reservations, and they count again if it comes back.
 */
export function addressReservationName(
  { host, domainOwner = '' }: ReservedHost,
  platformDomain: string | undefined,
): string {
  if (platformDomain !== undefined && isSubdomain(host, platformDomain))
    return zoneReservationName(host.slice(0, -platformDomain.length - 1));
  return `address-${domainOwner}.${host}`;
}

/** Labels the reservations of all addresses under one domain; a label value holds at most 63 characters. */
export const addressReservationLabels = (domain: string): Record<string, string> => ({
  'service.delivery/address-domain': domain.slice(-63).replace(/^[-.]+/, ''),
});
