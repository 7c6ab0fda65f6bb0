import { unlessGone } from '../../src/errors.ts';
import { type Domain, type DomainSettings, type DnsEndpoint, DnsEndpointKind } from '../../src/rules/domains/kinds.ts';
import { recordsOf } from '../../src/rules/domains/records.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { createOrGet } from '../create-or-get.ts';

/** A removed name can be somebody else's soon. */
const ttlSeconds = 60;

const refOf = (name: string) => ({ namespace: systemNamespace, name });

/** Asks for the name and its wildcard at whatever provider holds the root. */
export async function ensureManagedRecords(store: Store, domain: Domain, settings: DomainSettings): Promise<void> {
  const endpoints = new Map<string, DnsEndpoint['spec']['endpoints'][number]>();
  for (const { type, name, value } of recordsOf(domain, settings)) {
    const { targets = [] } = endpoints.get(`${name} ${type}`) ?? {};
    endpoints.set(`${name} ${type}`, {
      dnsName: name,
      recordType: type,
      targets: [...targets, value],
      recordTTL: ttlSeconds,
    });
  }
  const spec = { endpoints: [...endpoints.values()] };
  await createOrGet(store, DnsEndpointKind, { metadata: refOf(domain.spec.name), spec });
}

export async function removeManagedRecords(store: Store, name: string): Promise<void> {
  await store.delete(DnsEndpointKind, refOf(name)).catch(unlessGone);
}
