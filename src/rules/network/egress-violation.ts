import { addressScope } from './address-scope.ts';
import { type InsideDestination, isAllowedInside, isReachable } from './allowed-inside.ts';

/** A destination that untrusted code asked for, with every address of its host. */
export type EgressDestination = { host: string; port: number; addresses: readonly string[] };

const openPorts: readonly number[] = [80, 443];

/**
 * Returns why untrusted code must not connect to a destination. It may reach public addresses on the ports of the web, and
 * the inside destinations that the operator lists. A host inside the network and one that does not exist get the same
 * words, so that hosts inside cannot be found by trying names.
 */
export function egressViolation(
  allowed: readonly InsideDestination[],
  { host, port, addresses }: EgressDestination,
): string | undefined {
  const isInside = (address: string): boolean => isAllowedInside(allowed, { host, port, address });
  if (addresses.length === 0 || !addresses.every((address) => isReachable(allowed, { host, port, address })))
    return `The host ${host} has no public address.`;
  if (openPorts.includes(port) || addresses.every(isInside)) return undefined;
  return `Port ${port} of ${host} is closed: only ports ${openPorts.join(' and ')} are open.`;
}

/** Returns why a build must not connect to a destination: it may only reach the registry of the installation. */
export function registryEgressViolation(
  registry: { host: string; port: number },
  { host, port, addresses }: EgressDestination,
): string | undefined {
  if (host.toLowerCase() !== registry.host || port !== registry.port)
    return `A build can reach only the registry ${registry.host}.`;
  if (addresses.length > 0 && addresses.every((address) => addressScope(address) !== 'forbidden')) return undefined;
  return `The registry ${registry.host} has no address.`;
}
