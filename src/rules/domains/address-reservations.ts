import { isSubdomain } from './host-name.ts';
import { zoneReservationName } from '../products/reservations.ts';

/**
 * Names the object in the installation's namespace that reserves an address for one zone. Under the platform domain an
 * address is also the name of a zone, so both use the same reservation.
 */
export function addressReservationName(host: string, platformDomain: string | undefined): string {
  if (platformDomain !== undefined && isSubdomain(host, platformDomain))
    return zoneReservationName(host.slice(0, -platformDomain.length - 1));
  return `address-${host}`;
}

/** Labels the reservations of all addresses under one domain; a label value holds at most 63 characters. */
export const addressReservationLabels = (domain: string): Record<string, string> => ({
  'service.delivery/address-domain': domain.slice(-63).replace(/^[-.]+/, ''),
});
