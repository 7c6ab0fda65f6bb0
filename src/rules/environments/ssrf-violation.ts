import { addressScope } from '../network/address-scope.ts';

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

/** Only the zone's own addresses may be inside the network. */
function isAllowed(address: string, isOwn: boolean): boolean {
  const scope = addressScope(address);
  return scope === 'public' || (isOwn && scope === 'internal');
}
