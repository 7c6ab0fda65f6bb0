import { randomBytes } from 'node:crypto';
import type { DomainSettings } from '../../rules/domains/kinds.ts';
import type { Dns } from './dns.ts';

type Ingress = DomainSettings['ingress'];

/** No person creates a record for a random label, so the answer for it is that of a wildcard. */
export const randomProbeLabel = (): string => `service-check-${randomBytes(4).toString('hex')}`;

/** When only the ingress host is configured, traffic must reach the addresses of that host. */
export async function resolveIngress(dns: Dns, ingress: Ingress): Promise<Ingress> {
  if (ingress.host === undefined || ingress.addresses.length > 0) return ingress;
  const { records } = await dns.lookupAddresses(ingress.host);
  return { ...ingress, addresses: records };
}
