import { expect, it } from 'vitest';
import { ensureOrgProject } from '../../../activities/environments/org-project.ts';
import { ensureZoneNamespace } from '../../../activities/environments/zone-namespace.ts';
import { loadConfig } from '../../../src/config.ts';
import { ApplicationKind, AppProjectKind, ownCluster } from '../../../src/kinds/argo-cd.ts';
import { NamespaceKind } from '../../../src/kinds/kubernetes.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const repoUrl = 'https://code.test/acme/gitops.git';
const argoCdNamespace = 'argocd';

function createHarness() {
  const store = openTestStore();
  const createNamespace = async (org: string, zone: string) =>
    await ensureZoneNamespace(
      store,
      { org, product: 'shop', zone, uid: 'u1' },
      { ...loadConfig({}), access: 'public' },
    );
  const read = async () => (await store.get(AppProjectKind, { namespace: argoCdNamespace, name: 'org-acme' })).spec;
  return { store, createNamespace, read };
}

it('covers the namespaces of the zones of the org, and no others', async () => {
  const { store, createNamespace, read } = createHarness();
  await createNamespace('acme', 'shop-rc');
  await createNamespace('other', 'bank-prod');
  await store.create(NamespaceKind, { metadata: { namespace: '', name: 'argocd' } });
  await ensureOrgProject(store, { org: 'acme', repoUrl, argoCdNamespace });
  expect(await read()).toMatchObject({
    sourceRepos: [repoUrl],
    sourceNamespaces: ['org-acme'],
    destinations: [{ server: ownCluster, namespace: 'shop-rc' }],
    clusterResourceWhitelist: [],
  });

  await createNamespace('acme', 'shop-prod');
  await store.delete(NamespaceKind, { namespace: '', name: 'shop-rc' });
  await ensureOrgProject(store, { org: 'acme', argoCdNamespace });
  expect(await read()).toMatchObject({
    sourceRepos: [repoUrl],
    destinations: [{ server: ownCluster, namespace: 'shop-prod' }],
  });
});

it('takes back a project that was widened', async () => {
  const { store, createNamespace, read } = createHarness();
  await createNamespace('acme', 'shop-rc');
  await ensureOrgProject(store, { org: 'acme', repoUrl, argoCdNamespace });
  const project = await store.get(AppProjectKind, { namespace: argoCdNamespace, name: 'org-acme' });
  const everything = [{ group: '*', kind: '*' }];
  await store.replace(AppProjectKind, { ...project, spec: { ...project.spec, clusterResourceWhitelist: everything } });
  await ensureOrgProject(store, { org: 'acme', repoUrl, argoCdNamespace });
  expect((await read()).clusterResourceWhitelist).toEqual([]);
});

it('covers a zone in a workload cluster from its first deployment until its Application is gone', async () => {
  const { store, read } = createHarness();
  const namespace = 'org-acme';
  const metadata = { namespace, name: 'shop' };
  const zones = [{ name: 'shop-eu', promotionPolicy: 'automatic' as const, cluster: 'apart' }];
  const product = await store.create(ProductKind, { metadata, spec: { repos: [], delivery: { zones } } });
  const readDestinations = async (zone?: string) => {
    await ensureOrgProject(store, { org: 'acme', repoUrl, argoCdNamespace, ...(zone !== undefined && { zone }) });
    return (await read()).destinations;
  };
  const destination = { name: 'apart', namespace: 'shop-eu' };
  expect(await readDestinations()).toEqual([]);
  expect(await readDestinations('shop-eu')).toEqual([destination]);

  const source = { repoURL: repoUrl, path: '.', targetRevision: 'main' };
  await store.create(ApplicationKind, {
    metadata: { namespace, name: 'shop-eu' },
    spec: { project: namespace, source, destination },
  });
  await store.replace(ProductKind, { ...product, spec: { ...product.spec, delivery: { zones: [] } } });
  expect(await readDestinations()).toEqual([destination]);
  await store.delete(ApplicationKind, { namespace, name: 'shop-eu' });
  expect(await readDestinations()).toEqual([]);
});

it('allows the routes of a Gateway while the installation has one, and when a zone is removed', async () => {
  const { store, read } = createHarness();
  const readKinds = async (gateway: { hasGateway?: boolean }) => {
    await ensureOrgProject(store, { org: 'acme', repoUrl, argoCdNamespace, ...gateway });
    return (await read()).namespaceResourceWhitelist.map(({ kind }) => kind);
  };
  expect(await readKinds({})).not.toContain('HTTPRoute');
  expect(await readKinds({ hasGateway: true })).toContain('HTTPRoute');
  expect(await readKinds({})).toContain('HTTPRoute');
  expect(await readKinds({ hasGateway: false })).not.toContain('HTTPRoute');
});
