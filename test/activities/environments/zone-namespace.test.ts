import { expect, it } from 'vitest';
import { deleteZoneNamespace, ensureZoneNamespace } from '../../../activities/environments/zone-namespace.ts';
import { loadConfig } from '../../../src/config.ts';
import { NamespaceKind, NetworkPolicyKind } from '../../../src/kinds/kubernetes.ts';
import { zoneNetworkPolicies } from '../../../src/rules/environments/network-policies.ts';
import { zoneNamespaceLabels } from '../../../src/rules/environments/zone-namespace.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const { network } = loadConfig({});
const isolation = { network, access: 'public' as const };
const owner = { org: 'acme', product: 'shop', zone: 'shop-rc', uid: 'u1' };
const ref = { namespace: '', name: 'shop-rc' };

function createStore() {
  const store = openTestStore();
  return store;
}

it('creates the namespace of a zone with its labels and its NetworkPolicies, and repeats without an effect', async () => {
  const store = createStore();
  for (let attempt = 0; attempt < 2; attempt += 1) await ensureZoneNamespace(store, owner, isolation);
  expect((await store.get(NamespaceKind, ref)).metadata.labels).toEqual(zoneNamespaceLabels(owner));
  const { items } = await store.list(NetworkPolicyKind);
  const policies = zoneNetworkPolicies(network, 'public');
  expect(items.map(({ metadata, spec }) => [metadata.namespace, metadata.name, spec])).toEqual([
    ['shop-rc', 'zone', policies.zone],
    ['shop-rc', 'zone-certificates', policies['zone-certificates']],
    ['shop-rc', 'zone-gate', policies['zone-gate']],
  ]);
});

it.each([
  ['another system', {}],
  ['another org', zoneNamespaceLabels({ ...owner, org: 'evil' })],
  ['an earlier Product', zoneNamespaceLabels({ ...owner, uid: 'u0' })],
])('neither uses nor deletes the namespace of %s', async (_, labels) => {
  const store = createStore();
  await store.create(NamespaceKind, { metadata: { ...ref, labels } });
  await expect(ensureZoneNamespace(store, owner, isolation)).rejects.toMatchObject({ reason: 'namespace-taken' });
  expect(await deleteZoneNamespace(store, owner)).toBeUndefined();
  expect((await store.get(NamespaceKind, ref)).metadata.labels ?? {}).toEqual(labels);
  expect((await store.list(NetworkPolicyKind)).items).toEqual([]);
});

it('deletes the namespace of the zone', async () => {
  const store = createStore();
  await ensureZoneNamespace(store, owner, isolation);
  expect(await deleteZoneNamespace(store, owner)).toBeDefined();
  expect(await store.find(NamespaceKind, ref)).toBeUndefined();
  expect(await deleteZoneNamespace(store, owner)).toBeUndefined();
});
