import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { createClusterViewer } from '../../../api/clusters/cluster-view.ts';
import { clusterRef } from '../../../api/clusters/clusters.ts';
import type { ApiEnv } from '../../../api/deps.ts';
import { saveClusterAccess } from '../../../src/reconcile/save-cluster-access.ts';
import type { ApiToken } from '../../../src/rules/access/kinds.ts';
import { type Cluster, ClusterKind } from '../../../src/rules/clusters/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import type { Store } from '../../../src/store/store.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const ofEnvironment = 'The operator changes this cluster in WORKLOAD_CLUSTERS.';
const checkedAt = '2027-01-01T00:00:00.000Z';

/** Shows a cluster to a platform admin who signed in with a password, or uses a token. */
async function show(store: Store, name: string, cluster?: Cluster, use: 'session' | 'token' = 'session') {
  const app = new Hono<ApiEnv>().get('/', async (c) => {
    c.set('credential', { spec: { use, signInMethod: 'password' } } as ApiToken);
    return c.json((await createClusterViewer(c, { store }))({ name, cluster }));
  });
  return (await (await app.request('/')).json()) as { actions: { name: string; message?: string; reason?: string }[] };
}

const addZones = async (store: Store, product: string, zones: (string | undefined)[]): Promise<void> => {
  const spec = ProductKind.specSchema.parse({
    repos: [],
    delivery: { zones: zones.map((cluster, index) => ({ name: `${product}-${index}`, ...(cluster && { cluster }) })) },
  });
  await store.create(ProductKind, { metadata: { namespace: 'org-acme', name: product }, spec });
};

const createCluster = async (store: Store, spec: Cluster['spec'] = {}): Promise<Cluster> =>
  await store.create(ClusterKind, { metadata: clusterRef('eu-west'), spec });

it('shows what is known of an added cluster', async () => {
  const store = openTestStore();
  const created = await createCluster(store, { label: 'Europe', prometheusUrl: 'https://metrics.example.com' });
  const findings = [{ subject: 'connection' as const, result: 'ok' as const, message: 'Connected.' }];
  const status = { version: 'v1.34.2', findings, checkedAt, conditions: [] };
  const cluster = await store.updateStatus(ClusterKind, created.metadata, () => status);
  await saveClusterAccess(store, 'eu-west', { server: 'https://k8s.example.com', token: 'secret' });
  await addZones(store, 'shop', ['eu-west', undefined, 'other']);
  const zones = [{ org: 'acme', product: 'shop', zone: 'shop-0' }];
  const view = await show(store, 'eu-west', cluster);
  expect(view).toEqual({
    name: 'eu-west',
    label: 'Europe',
    source: 'settings',
    server: 'https://k8s.example.com',
    fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
    prometheusUrl: 'https://metrics.example.com',
    state: 'ready',
    version: 'v1.34.2',
    findings,
    checkedAt,
    zones,
    resourceVersion: cluster.metadata.resourceVersion,
    actions: [
      { name: 'checkCluster', allowed: true },
      { name: 'putCluster', allowed: true },
      {
        name: 'deleteCluster',
        allowed: false,
        reason: 'state-conflict',
        message: 'Zones run in the cluster "eu-west": shop-0 of acme/shop. Remove them first.',
      },
    ],
  });
});

it('shows a cluster that was never checked, and lets a platform admin change it', async () => {
  const store = openTestStore();
  const view = await show(store, 'eu-west', await createCluster(store));
  expect(Object.keys(view).toSorted()).toEqual([
    'actions',
    'findings',
    'name',
    'resourceVersion',
    'source',
    'state',
    'zones',
  ]);
  expect(view.actions).toEqual(
    ['checkCluster', 'putCluster', 'deleteCluster'].map((name) => ({ name, allowed: true })),
  );
});

it('lets only the operator change a cluster of the environment', async () => {
  const view = await show(openTestStore(), 'from-env');
  expect(view).toMatchObject({ source: 'environment', zones: [] });
  expect(view).not.toHaveProperty('resourceVersion');
  expect(view.actions).toEqual(
    ['checkCluster', 'putCluster', 'deleteCluster'].map((name) => ({
      name,
      allowed: false,
      reason: 'state-conflict',
      message: ofEnvironment,
    })),
  );
});

it('requires a session that began with a password to change a cluster, not to check it', async () => {
  const store = openTestStore();
  const { actions } = await show(store, 'eu-west', await createCluster(store), 'token');
  expect(actions.map(({ reason }) => reason)).toEqual([undefined, 'role-insufficient', 'role-insufficient']);
});

it('names three of many zones', async () => {
  const store = openTestStore();
  const cluster = await createCluster(store);
  await addZones(store, 'shop', ['eu-west', 'eu-west', 'eu-west']);
  const readMessage = async () => (await show(store, 'eu-west', cluster)).actions[2]?.message;
  expect(await readMessage()).toContain('shop-0 of acme/shop, shop-1 of acme/shop, shop-2 of acme/shop. Remove');
  await addZones(store, 'wiki', ['eu-west', 'eu-west']);
  expect(await readMessage()).toMatch(/: \S+ of acme\/\w+, \S+ of acme\/\w+, \S+ of acme\/\w+ and 2 more\. Remove/);
});
