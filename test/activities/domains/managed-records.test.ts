import { expect, it, vi } from 'vitest';
import { ensureManagedRecords, removeManagedRecords } from '../../../activities/domains/managed-records.ts';
import { DnsEndpointKind } from '../../../src/kinds/external-dns.ts';
import { DomainKind } from '../../../src/rules/domains/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { buildDomainSettings } from '../../support/start-api.ts';

async function createHarness(name = 'shop.managed.test') {
  const store = openTestStore();
  const domain = await store.create(DomainKind, {
    metadata: { namespace: 'org-acme', name },
    spec: { name, kind: 'managed', shared: false, token: 't' },
  });
  const list = async () => (await store.list(DnsEndpointKind)).items;
  return { store, domain, list };
}

it('requests one record set for each name and type, with all its targets, and repeats without an effect', async () => {
  const { store, domain, list } = await createHarness();
  const settings = buildDomainSettings({ ingress: { host: undefined, addresses: ['192.0.2.1', '192.0.2.2', '::1'] } });
  for (let time = 0; time < 2; time += 1) await ensureManagedRecords(store, domain, settings);
  const [{ metadata, spec } = { metadata: {}, spec: undefined }, ...others] = await list();
  expect(metadata).toMatchObject({ namespace: 'service-system', name: 'shop.managed.test' });
  expect(others).toEqual([]);
  const sets = ['shop.managed.test', '*.shop.managed.test'].flatMap((dnsName) => [
    { dnsName, recordType: 'A', targets: ['192.0.2.1', '192.0.2.2'], recordTTL: 60 },
    { dnsName, recordType: 'AAAA', targets: ['::1'], recordTTL: 60 },
  ]);
  expect(spec?.endpoints).toEqual(sets);
});

it('fails when the records cannot be removed, so that it is tried again', async () => {
  const { store } = await createHarness();
  vi.spyOn(store, 'delete').mockRejectedValueOnce(new Error('The store is away.'));
  await expect(removeManagedRecords(store, 'shop.managed.test')).rejects.toThrow('The store is away.');
});

it('removes the records of a name once', async () => {
  const { store, domain, list } = await createHarness();
  await ensureManagedRecords(store, domain, buildDomainSettings());
  for (let time = 0; time < 2; time += 1) await removeManagedRecords(store, 'shop.managed.test');
  expect(await list()).toEqual([]);
});
