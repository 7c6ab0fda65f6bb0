import ipaddr from 'ipaddr.js';

/**
 * Writes an IPv6 address as the operating system does (RFC 5952), because equal addresses have many spellings. One that
 * stands for an IPv4 address, such as `::ffff:192.0.2.1`, is written as that address.
 */
export function canonicalAddress(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const ip = ipaddr.IPv6.parse(address);
  return ip.isIPv4MappedAddress() ? ip.toIPv4Address().toString() : ip.toRFC5952String();
}
