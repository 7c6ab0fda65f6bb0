import ipaddr from 'ipaddr.js';
import { addressScope } from './address-scope.ts';
import { canonicalAddress } from './canonical-address.ts';
import { toBareHost, toPort } from './url-destination.ts';

/** A destination inside the installation's network that its operator allows: a host, with or without a port, or a CIDR range. */
export type InsideDestination = { host: string; port: number | undefined } | { range: string };

/** A destination of a request, with one of the addresses that its host name resolved to. */
export type Destination = { host: string; port: number; address: string };

const hostPattern = /^(?:\[(?<ipv6>[0-9a-f:.]+)\]|(?<name>[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?))(?::(?<port>\d{1,5}))?$/;

/** Parses `<host>`, `<host>:<port>`, `[<IPv6>]:<port>`, an address or a CIDR range. Returns undefined for anything else. */
export function parseInsideDestination(text: string): InsideDestination | undefined {
  const lower = text.trim().toLowerCase();
  if (lower.includes('/')) return ipaddr.isValidCIDR(lower) ? { range: lower } : undefined;
  if (ipaddr.IPv6.isValid(lower)) return { host: canonicalAddress(lower), port: undefined };
  const { ipv6, name, port } = hostPattern.exec(lower)?.groups ?? {};
  const host = ipv6 ?? name;
  if (host === undefined || (ipv6 !== undefined && !ipaddr.IPv6.isValid(ipv6)) || Number(port ?? 1) > 65535)
    return undefined;
  return { host: canonicalAddress(host), port: port === undefined ? undefined : Number(port) };
}

/** Returns the destination of a URL that the operator has configured, and so allows. */
export function toInsideDestination(text: string): InsideDestination {
  const url = new URL(text);
  return { host: canonicalAddress(toBareHost(url.hostname)), port: toPort(url) };
}

/** Whether an address is public, or the operator allows it. */
export const isReachable = (allowed: readonly InsideDestination[], destination: Destination): boolean =>
  addressScope(destination.address) === 'public' || isAllowedInside(allowed, destination);

/** Metadata services, link-local addresses and the like stay forbidden, even if a listed name resolves to them. */
export function isAllowedInside(allowed: readonly InsideDestination[], { host, port, address }: Destination): boolean {
  if (addressScope(address) === 'forbidden') return false;
  const wanted = canonicalAddress(toBareHost(host.toLowerCase()));
  return allowed.some((one) =>
    'range' in one
      ? isInRange(address, one.range)
      : one.host === wanted && (one.port === undefined || one.port === port),
  );
}

function isInRange(address: string, range: string): boolean {
  const ip = ipaddr.process(address);
  const [network, bits] = parseRange(range);
  return ip.kind() === network.kind() && ip.match([network, bits] as [ipaddr.IPv4, number]);
}

/** A range of addresses that stand for IPv4 addresses, such as `::ffff:10.0.0.0/104`, is a range of those. */
function parseRange(range: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const [network, bits] = ipaddr.parseCIDR(range);
  return network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress() && bits >= 96
    ? [network.toIPv4Address(), bits - 96]
    : [network, bits];
}
