import ipaddr from 'ipaddr.js';

/** Writes an IPv6 address as the operating system does (RFC 5952), because equal addresses have many spellings. */
export const canonicalAddress = (address: string): string =>
  ipaddr.IPv6.isValid(address) ? ipaddr.IPv6.parse(address).toRFC5952String() : address;
