import { describe, expect, it } from 'vitest';
import { inspectDomain, isDnsNameFree } from '../../../activities/domains/inspect-domain.ts';
import { DnsEndpointKind } from '../../../src/kinds/external-dns.ts';
import { EventsV1EventKind } from '../../../src/kinds/kubernetes.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { buildDomainSettings } from '../../support/start-api.ts';
import { createFakeDns } from './fake-dns.ts';

const spec = { name: 'shop.example', kind: 'external' as const, token: 't', shared: false };

/** Inspects a domain whose address is this, with an ingress host that has the address 192.0.2.7. */
async function readTraffic(address: string, ingress: { host: string | undefined; addresses: string[] }) {
  const store = openTestStore();
  const { dns, addresses } = createFakeDns();
  addresses['ingress.test'] = '192.0.2.7';
  addresses[spec.name] = address;
  const domains = buildDomainSettings({ ingress });
  const deps = { store, dns, domains, isProxied: () => false, allowedInside: [] };
  return (await inspectDomain(deps, { spec }, { allServers: true })).traffic.verdict;
}

it.each([
  ['192.0.2.7', 'connected'],
  ['192.0.2.9', 'elsewhere'],
])('uses the addresses of the ingress host when none is named: %s is %s', async (address, verdict) => {
  expect(await readTraffic(address, { host: 'ingress.test', addresses: [] })).toBe(verdict);
});

it.each([
  ['192.0.2.9', 'connected'],
  ['192.0.2.7', 'elsewhere'],
])('keeps the addresses that the operator names next to a host: %s is %s', async (address, verdict) => {
  expect(await readTraffic(address, { host: 'ingress.test', addresses: ['192.0.2.9'] })).toBe(verdict);
});

it('does not say that a name points elsewhere while the addresses of the ingress host are unknown', async () => {
  expect(await readTraffic('192.0.2.7', { host: 'unknown.test', addresses: [] })).toBe('unknown');
});

it('uses the named addresses without a host', async () => {
  expect(await readTraffic('192.0.2.9', { host: undefined, addresses: ['192.0.2.9'] })).toBe('connected');
});

describe('a wildcard of a domain', () => {
  /** Inspects a domain whose subdomains point to the service. */
  async function readWithWildcard({ address, allServers }: { address: string; allServers: boolean }) {
    const { dns, addresses } = createFakeDns();
    addresses[spec.name] = address;
    addresses[`*.${spec.name}`] = '192.0.2.7';
    const domains = buildDomainSettings({ ingress: { host: undefined, addresses: ['192.0.2.7'] } });
    const deps = { store: openTestStore(), dns, domains, isProxied: () => false, allowedInside: [] };
    return (await inspectDomain(deps, { spec }, { allServers })).traffic;
  }

  it('connects a domain that itself points elsewhere, and says so', async () => {
    const traffic = await readWithWildcard({ address: '192.0.2.9', allServers: true });
    expect(traffic).toMatchObject({ verdict: 'connected', message: expect.stringContaining('does not') as string });
  });

  it('does not matter for a domain that itself points to the service', async () => {
    const { verdict, message } = await readWithWildcard({ address: '192.0.2.7', allServers: true });
    expect(verdict).toBe('connected');
    expect(message).not.toContain('does not');
  });

  it('is not looked up by the quick check of a domain that is not proven', async () => {
    const { verdict } = await readWithWildcard({ address: '192.0.2.9', allServers: false });
    expect(verdict).toBe('elsewhere');
  });
});

it('verifies a managed domain once every server of its DNS zone answers', async () => {
  const { dns, addresses } = createFakeDns();
  const name = 'shop.managed.test';
  addresses[name] = '192.0.2.7';
  addresses[`*.${name}`] = '192.0.2.7';
  const unknown = createFakeDns().dns;
  // The newest of the servers has the records, the others do not have them yet.
  const lookupAddresses: typeof dns.lookupAddresses = async (host, options = {}) =>
    await (options.allServers ? unknown : dns).lookupAddresses(host, options);
  const domains = buildDomainSettings({ ingress: { host: undefined, addresses: ['192.0.2.7'] } });
  const deps = { store: openTestStore(), domains, isProxied: () => false, allowedInside: [] };
  const domain = { spec: { ...spec, name, kind: 'managed' as const } };
  const readVerdict = async (client: typeof dns) =>
    (await inspectDomain({ ...deps, dns: client }, domain, { allServers: false })).ownership.verdict;
  expect(await readVerdict(dns)).toBe('verified');
  expect(await readVerdict({ ...dns, lookupAddresses })).toBe('missing');
});

describe('a managed domain whose records do not exist yet', () => {
  const name = 'shop.managed.test';
  const ref = { namespace: 'service-system', name };

  /** Inspects the domain after the service has requested its records, or not, and these events about it. */
  async function readProblem({ isRequested = true, events = [] as object[] } = {}) {
    const store = openTestStore();
    if (isRequested) await store.create(DnsEndpointKind, { metadata: ref, spec: { endpoints: [] } });
    for (const [index, event] of events.entries())
      await store.create(EventsV1EventKind, { metadata: { ...ref, name: `event-${index}` }, ...event } as never);
    const domains = buildDomainSettings();
    const deps = { store, dns: createFakeDns().dns, domains, isProxied: () => false, allowedInside: [] };
    const managed = { ...spec, name, kind: 'managed' as const };
    const { ownership } = await inspectDomain(deps, { spec: managed }, { allServers: true });
    expect(ownership.verdict).toBe('missing');
    return ownership.message;
  }
  const about = (kind: string, more: object, of = name) => ({ regarding: { kind, name: of }, ...more });
  const rejected = /^The DNS provider rejected the records\./;

  it('says what to do when they were not requested, or rejected', async () => {
    expect(await readProblem()).toBe('The name or its wildcard does not resolve yet.');
    expect(await readProblem({ isRequested: false })).toMatch(/^The DNS records of the domain were not requested\./);
    expect(await readProblem({ events: [about('DNSEndpoint', { type: 'Warning' })] })).toMatch(rejected);
    expect(await readProblem({ events: [about('DNSEndpoint', { reason: 'RecordError' })] })).toMatch(rejected);
  });

  it('ignores the events of other objects, and those that are no problem', async () => {
    const events = [
      about('Pod', { type: 'Warning' }),
      about('DNSEndpoint', { type: 'Warning' }, 'other.managed.test'),
      about('DNSEndpoint', { type: 'Normal', reason: 'RecordReady' }),
    ];
    expect(await readProblem({ events })).toBe('The name or its wildcard does not resolve yet.');
  });
});

it('compares the longest label with one that DNS allows too', async () => {
  const { dns } = createFakeDns();
  const labels: string[] = [];
  const lookupTxt: typeof dns.lookupTxt = async (name, options) => {
    labels.push(...name.split('.'));
    return await dns.lookupTxt(name, options);
  };
  const longest = 'a'.repeat(63);
  expect(await isDnsNameFree({ ...dns, lookupTxt }, `${longest}.managed.test`)).toBe(true);
  expect(labels).toContain(longest);
  expect(labels.filter(({ length }) => length > 63)).toEqual([]);
});
