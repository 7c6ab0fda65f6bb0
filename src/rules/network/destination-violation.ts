import { type InsideDestination, isAllowedInside, isReachable } from './allowed-inside.ts';

/** A destination of a request that a tenant named, with every address of its host. */
export type ResolvedDestination = { protocol: string; host: string; port: number; addresses: readonly string[] };

/**
 * Returns why the service must not connect to a destination that a tenant named. A host inside the network and one that
 * does not exist get the same words, so that a tenant cannot find hosts inside by trying names.
 */
export function destinationViolation(
  allowed: readonly InsideDestination[],
  { protocol, host, port, addresses }: ResolvedDestination,
): string | undefined {
  const isInside = (address: string): boolean => isAllowedInside(allowed, { host, port, address });
  if (addresses.length === 0 || !addresses.every((address) => isReachable(allowed, { host, port, address }))) {
    const fix =
      'Check the name, use a public address, or ask an operator to list the host in ALLOWED_INSIDE_ADDRESSES.';
    return `The host ${host} has no public address. ${fix}`;
  }
  if (protocol === 'https:' || addresses.every(isInside)) return undefined;
  return `The connection to ${host} would not be encrypted. Use https.`;
}
