import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';

/** What the host of a URL resolves to. */
export async function resolveHost(hostname: string): Promise<string[]> {
  const host = hostname.replaceAll(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return [host];
  // Loopback by RFC 6761; browsers know it, the system's look-up may not.
  if (host === 'localhost' || host.endsWith('.localhost')) return ['127.0.0.1'];
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/** Answers one address whatever is asked, so that a name cannot lead elsewhere between being judged and being used. */
export const pinnedTo =
  (address: string): LookupFunction =>
  (_hostname, { all }, callback) => {
    const family = isIP(address);
    if (all) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
