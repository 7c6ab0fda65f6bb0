import { networkInterfaces } from 'node:os';

/** Returns an address of this machine: Kubernetes accepts no loopback address as one of a pod. */
export function getMachineAddress(): string {
  const found = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const { address } = found.find(({ family, internal }) => family === 'IPv4' && !internal) ?? {};
  if (address === undefined) throw new Error('This machine has no address beyond loopback.');
  return address;
}
