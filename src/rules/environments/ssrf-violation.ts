import ipaddr from 'ipaddr.js';

/** Cloud metadata services hand out credentials at these addresses and at link-local ones. */
const metadataAddresses = new Set(['100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254']);
/** Only the zone's own addresses may be in these ranges. */
const internalRanges = new Set(['loopback', 'private', 'uniqueLocal', 'carrierGradeNat']);

export type ResolvedUrl = {
  /** The URL that a person configured for the zone. */
  url: string;
  /** The addresses that its host name resolves to. */
  resolvedAddresses: string[];
  /** The addresses that the service assigns to the zone. */
  zoneUrls: string[];
};

/**
 * Returns why the service must not request a URL of a zone. People configure these URLs, but the service can reach
 * internal networks that they cannot, so any URL other than the zone's own must be on the internet.
 */
export function ssrfViolation({ url, resolvedAddresses, zoneUrls }: ResolvedUrl): string | undefined {
  const { origin, hostname } = new URL(url);
  const isOwn = zoneUrls.some((address) => new URL(address).origin === origin);
  const forbidden = resolvedAddresses.find((address) => !isAllowed(address, isOwn));
  if (forbidden === undefined) return resolvedAddresses.length > 0 ? undefined : `${hostname} has no address.`;
  return `${origin} resolves to ${forbidden}, which is neither an address of the zone nor on the internet. Use an address of the zone.`;
}

function isAllowed(address: string, isOwn: boolean): boolean {
  if (!ipaddr.isValid(address)) return false;
  const ip = ipaddr.process(address);
  if (metadataAddresses.has(ip.toString())) return false;
  const range = ip.range();
  return range === 'unicast' || (isOwn && internalRanges.has(range));
}
