import { expect, it, onTestFinished } from 'vitest';
import { inspectDomain } from '../../../activities/domains/inspect-domain.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { buildDomainSettings } from '../../support/start-api.ts';
import { createFakeDns } from './fake-dns.ts';

const spec = { name: 'shop.example', kind: 'external' as const, token: 't', shared: false };

/** Inspects a domain whose address is this, with an ingress host that has the address 192.0.2.7. */
async function readTraffic(address: string, ingress: { host: string | undefined; addresses: string[] }) {
  const store = openSqliteStore({ file: ':memory:' });
  onTestFinished(async () => await store.close());
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

it('uses the named addresses without a host', async () => {
  expect(await readTraffic('192.0.2.9', { host: undefined, addresses: ['192.0.2.9'] })).toBe('connected');
});
