import { addressScope } from '../network/address-scope.ts';
import { type InsideDestination, isReachable } from '../network/allowed-inside.ts';
import { toPort } from '../network/url-destination.ts';

export type ResolvedUrl = {
  /** The URL that a person configured for the zone. */
  url: string;
  /** The addresses that its host name resolves to. */
  resolvedAddresses: string[];
  /** The addresses that the service assigns to the zone. */
  zoneUrls: string[];
  /** The destinations inside the network that the operator allows. */
  allowedInside: readonly InsideDestination[];
};

/**
 * Returns why the service must not request a URL of a zone. People configure these URLs, but the service can reach
 * internal networks that they cannot, so any URL other than the zone's own must be on the internet. A host inside and one
 * that does not exist get the same words, so that a tenant cannot find hosts inside by trying names.
 */
export function ssrfViolation(site: ResolvedUrl): string | undefined {
  const { url, resolvedAddresses, zoneUrls, allowedInside } = site;
  const parsed = new URL(url);
  const { origin } = parsed;
  const isOwn = zoneUrls.some((address) => new URL(address).origin === origin);
  const destination = { host: parsed.hostname, port: toPort(parsed) };
  const isAllowed = (address: string): boolean =>
    isReachable(allowedInside, { ...destination, address }) || (isOwn && addressScope(address) === 'internal');
  if (resolvedAddresses.length > 0 && resolvedAddresses.every(isAllowed)) return undefined;
  return `${origin} has neither an address of the zone nor one on the internet. Check the name, or use an address of the zone.`;
}
