import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { toBareHost } from '../../rules/network/url-destination.ts';

/** Resolves the host of a URL, which may be an IP address. */
export async function resolveHost(hostname: string): Promise<string[]> {
  const host = toBareHost(hostname);
  if (isIP(host) !== 0) return [host];
  // RFC 6761 defines these names as loopback, but not every system resolver implements it.
  if (host === 'localhost' || host.endsWith('.localhost')) return ['127.0.0.1'];
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/** Always returns the given addresses, so that a name cannot resolve to another one after it was checked. */
export const pinnedLookup =
  (addresses: readonly string[]): LookupFunction =>
  (_hostname, { all }, callback) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }));
    if (all) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  };
