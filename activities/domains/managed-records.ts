import { ignoreNotFound } from '../../src/errors.ts';
import { type DnsEndpoint, DnsEndpointKind } from '../../src/kinds/external-dns.ts';
import { listRequiredRecords } from '../../src/rules/domains/dns-records.ts';
import type { Domain, DomainSettings } from '../../src/rules/domains/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { applyObject } from '../../src/store/apply-object.ts';
import type { Store } from '../../src/store/store.ts';

/** Another org can claim a removed name soon, so its records must not stay cached. */
const ttlSeconds = 60;

const toRef = (name: string) => ({ namespace: systemNamespace, name });

/** Requests records for the name and its wildcard from the DNS controller; they follow a change of the ingress. */
export async function ensureManagedRecords(
  store: Store,
  domain: Pick<Domain, 'spec'>,
  settings: DomainSettings,
): Promise<void> {
  const endpoints = new Map<string, DnsEndpoint['spec']['endpoints'][number]>();
  for (const { type, name, value } of listRequiredRecords(domain, settings)) {
    const { targets = [] } = endpoints.get(`${name} ${type}`) ?? {};
    endpoints.set(`${name} ${type}`, {
      dnsName: name,
      recordType: type,
      targets: [...targets, value],
      recordTTL: ttlSeconds,
    });
  }
  const spec = { endpoints: [...endpoints.values()] };
  await applyObject(store, DnsEndpointKind, { ref: toRef(domain.spec.name), build: () => ({ spec }) });
}

export async function removeManagedRecords(store: Store, name: string): Promise<void> {
  await store.delete(DnsEndpointKind, toRef(name)).catch(ignoreNotFound);
}
