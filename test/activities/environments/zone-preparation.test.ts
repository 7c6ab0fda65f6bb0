import { describe, expect, it, vi } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import type { ZoneCluster } from '../../../src/integrations/telemetry/zone-cluster.ts';
import { NamespaceKind, NetworkPolicyKind } from '../../../src/kinds/kubernetes.ts';
import { ApplicationKind, refreshAnnotation } from '../../../src/kinds/argo-cd.ts';
import { zoneNamespaceLabels } from '../../../src/rules/environments/zone-namespace.ts';
import { zoneValuesPath } from '../../../src/rules/environments/zone-values.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { connectCodehost, createHarness, namespace, promotion, ref } from './environment-fixture.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { buildWorkloadClusters } from '../../support/workload-clusters.ts';

it('lets only the gate of a zone connect to its app when the zone requires sign-in, from its next promotion on', async () => {
  const codehost = await connectCodehost();
  const { activities, run, store } = await createHarness({ codehost, zone: { access: 'signed-in' } });
  const readSources = async (name: string) =>
    (await store.get(NetworkPolicyKind, { namespace: ref.zone, name })).spec.ingress?.flatMap(({ from }) =>
      from.map(({ namespaceSelector }) => namespaceSelector?.matchLabels?.['kubernetes.io/metadata.name'] ?? 'own'),
    );
  expect(await run(activities.writePromotion, promotion)).toMatchObject({ outcome: 'promoted' });
  expect(await readSources('zone')).toEqual(['own', 'service-system']);
  expect(await readSources('zone-gate')).toEqual(['traefik']);
  const product = await store.get(ProductKind, { namespace, name: ref.product });
  const zones = product.spec.delivery.zones.map((zone) => ({ ...zone, access: 'public' as const }));
  await store.replace(ProductKind, { ...product, spec: { ...product.spec, delivery: { zones } } });
  await run(activities.writeZoneSettings, { ...ref, generation: 1 });
  expect(await readSources('zone')).toEqual(['own', 'traefik', 'service-system']);
});

it('writes nothing into the namespace of another owner', async () => {
  const codehost = await connectCodehost();
  const { activities, run, store, readZoneStatus } = await createHarness({ codehost });
  await store.create(NamespaceKind, { metadata: { namespace: '', name: ref.zone } });
  await expect(run(activities.writePromotion, promotion)).rejects.toMatchObject({ type: 'namespace-taken' });
  const host = await codehost.forOrg('acme');
  expect(await host.readFile('acme/shop', zoneValuesPath('shop', ref.zone), 'main')).toBeUndefined();
  expect(await readZoneStatus()).toBeUndefined();
});

it('says that it waits for a namespace that a person deleted and the cluster still keeps', async () => {
  const codehost = await connectCodehost();
  const { activities, run, store } = await createHarness({ codehost });
  expect(await run(activities.writePromotion, promotion)).toMatchObject({ outcome: 'promoted' });
  const zone = await store.get(NamespaceKind, { namespace: '', name: ref.zone });
  await store.replace(NamespaceKind, { ...zone, metadata: { ...zone.metadata, finalizers: ['example.com/keep'] } });
  await store.delete(NamespaceKind, zone.metadata);
  const outage = {
    outcome: 'blocked',
    message: expect.stringContaining(`The namespace "${ref.zone}" is being deleted`),
    needsPerson: false,
    outage: 'cluster',
  };
  expect(await run(activities.writePromotion, promotion)).toEqual(outage);
  expect(await run(activities.writeZoneSettings, { ...ref, generation: 1 })).toEqual(outage);
});

it('prepares the namespace, the hosts, the project and its credentials before the Application', async () => {
  const codehost = await connectCodehost();
  const { activities, run, store } = await createHarness({ codehost });
  const created: string[] = [];
  const { create, put } = store;
  vi.spyOn(store, 'create').mockImplementation(async (kind, object) => {
    const found = await create(kind, object);
    created.push(kind.kind);
    return found;
  });
  vi.spyOn(store, 'put').mockImplementation(async (kind, object) => {
    const found = await put(kind, object);
    created.push(`${kind.kind} ${object.metadata.namespace}`);
    return found;
  });
  await run(activities.writePromotion, promotion);
  expect(created.filter((kind) => kind !== 'NetworkPolicy')).toEqual([
    'Namespace',
    'Secret shop-prod',
    'ConfigMap',
    'AppProject',
    'Secret argocd',
    'Application',
  ]);
  const application = await store.get(ApplicationKind, { namespace, name: ref.zone });
  expect(application.metadata.annotations?.[refreshAnnotation]).toBe('normal');
});

describe('a zone in a workload cluster', () => {
  async function start() {
    const apart = openTestStore();
    const workloadClusters = buildWorkloadClusters({ apart: { objects: apart } as unknown as ZoneCluster });
    const codehost = await connectCodehost();
    return { apart, ...(await createHarness({ codehost, zone: { cluster: 'apart' }, workloadClusters })) };
  }

  it('gets its namespace there, and none at home', async () => {
    const { activities, run, store, apart } = await start();
    for (let time = 0; time < 2; time += 1) await run(activities.writePromotion, promotion);
    const { uid } = (await store.get(ProductKind, { namespace, name: 'shop' })).metadata;
    const { metadata } = await apart.get(NamespaceKind, { namespace: '', name: ref.zone });
    expect(metadata.labels).toEqual(zoneNamespaceLabels({ ...ref, uid }));
    expect((await store.list(NamespaceKind)).items).toEqual([]);
    const { spec } = await store.get(ApplicationKind, { namespace, name: ref.zone });
    expect(spec.destination).toEqual({ name: 'apart', namespace: ref.zone });
  });

  it('is not deployed to a namespace of another owner', async () => {
    const { activities, run, store, apart } = await start();
    await apart.create(NamespaceKind, { metadata: { namespace: '', name: ref.zone } });
    await expect(run(activities.writePromotion, promotion)).rejects.toMatchObject({ type: 'namespace-taken' });
    expect((await apart.get(NamespaceKind, { namespace: '', name: ref.zone })).metadata.labels ?? {}).toEqual({});
    expect((await store.list(ApplicationKind)).items).toEqual([]);
  });

  it('says what it waits for while the service has no access to the cluster', async () => {
    const { activities, run, store } = await createHarness({ zone: { cluster: 'apart' } });
    const outage = {
      outcome: 'blocked',
      message: expect.stringContaining('The service has no access to the cluster "apart", where the zone runs.'),
      needsPerson: false,
      outage: 'cluster',
    };
    expect(await run(activities.writePromotion, promotion)).toEqual(outage);
    expect(await run(activities.writeZoneSettings, { ...ref, generation: 1 })).toEqual(outage);
    expect((await store.list(ApplicationKind)).items).toEqual([]);
  });

  it('is deployed by its controller when the cluster stops responding after the merge', async () => {
    const { activities, run, store, apart } = await start();
    const { create } = apart;
    vi.spyOn(apart, 'create')
      .mockImplementationOnce(create)
      .mockRejectedValue(new ServiceError('cluster-unavailable', 'It does not respond.'));
    expect(await run(activities.writePromotion, promotion)).toMatchObject({ outcome: 'promoted' });
    expect(await store.find(ApplicationKind, { namespace, name: ref.zone })).toBeDefined();
    expect(await run(activities.writePromotion, promotion)).toMatchObject({ outcome: 'blocked', outage: 'cluster' });
  });
});
