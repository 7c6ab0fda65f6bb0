import ipaddr from 'ipaddr.js';

/**
 * - public: on the internet
 * - internal: in a network that the service can reach and a tenant cannot
 * - reserved: without a general meaning; an installation may route it
 * - forbidden: never a destination, for example the metadata service of a cloud or a multicast group
 */
export type AddressScope = 'public' | 'internal' | 'reserved' | 'forbidden';

/** Cloud metadata services hand out credentials at these addresses and at link-local ones. */
const metadataAddresses = new Set([
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::23',
  'fd00:ec2::254',
  'fd20:ce::254',
]);
const internalRanges = new Set(['loopback', 'private', 'uniqueLocal', 'carrierGradeNat']);

/** Classifies an IP address. Ranges that embed another address, such as NAT64, are forbidden. */
export function addressScope(address: string): AddressScope {
  if (!ipaddr.isValid(address)) return 'forbidden';
  const ip = ipaddr.process(address);
  if (metadataAddresses.has(ip.toString())) return 'forbidden';
  const range = ip.range();
  if (range === 'unicast') return 'public';
  if (internalRanges.has(range)) return 'internal';
  return range === 'reserved' ? 'reserved' : 'forbidden';
}
