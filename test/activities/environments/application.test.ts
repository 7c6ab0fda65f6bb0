import { expect, it, vi } from 'vitest';
import { ensureApplication, refreshApplication } from '../../../activities/environments/application.ts';
import { ApplicationKind, type Application, refreshAnnotation } from '../../../src/kinds/argo-cd.ts';
import { ServiceError } from '../../../src/errors.ts';
import { ProductKind, type ZoneSpec } from '../../../src/rules/products/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const namespace = 'org-acme';
const repo = { repoUrl: 'https://code.test/acme/gitops.git', branch: 'main' };
const zones: ZoneSpec[] = [
  { name: 'shop-rc', promotionPolicy: 'automatic' },
  { name: 'shop-prod', promotionPolicy: 'automatic', cluster: 'apart' },
];

async function createHarness() {
  const store = openTestStore();
  const product = await store.create(ProductKind, {
    metadata: { namespace, name: 'shop' },
    spec: { repos: [], delivery: { zones } },
  });
  const ensure = async (zone: string, source = repo) =>
    await ensureApplication(store, { org: 'acme', product, zone, ...source });
  const read = async (name: string) => await store.get(ApplicationKind, { namespace, name });
  return { store, product, ensure, read };
}

type Harness = Awaited<ReturnType<typeof createHarness>>;
const zone = { org: 'acme', product: 'shop', zone: 'shop-rc' };
const moved = { repoUrl: 'https://code.test/acme/moved.git', branch: 'trunk' };

it('deploys to the cluster of the service, or to the cluster that the zone names', async () => {
  const { ensure, read } = await createHarness();
  for (const { name } of zones) await ensure(name);
  expect((await read('shop-rc')).spec).toMatchObject({
    project: 'org-acme',
    destination: { server: 'https://kubernetes.default.svc', namespace: 'shop-rc' },
  });
  expect((await read('shop-prod')).spec.destination).toEqual({ name: 'apart', namespace: 'shop-prod' });
});

it('lets Argo CD create and label no namespace', async () => {
  const { ensure, read } = await createHarness();
  for (const { name } of zones) {
    await ensure(name);
    expect(Object.keys((await read(name)).spec.syncPolicy ?? {}).toSorted()).toEqual(['automated', 'retry']);
  }
});

it('updates the source when the gitops repo has moved', async () => {
  const { ensure, read } = await createHarness();
  await ensure('shop-rc');
  await ensure('shop-rc', moved);
  expect((await read('shop-rc')).spec.source).toMatchObject({
    repoURL: 'https://code.test/acme/moved.git',
    targetRevision: 'trunk',
  });
});

it.each<[string, Partial<Application['spec']>, string]>([
  [
    'another namespace',
    { destination: { server: 'https://kubernetes.default.svc', namespace: 'argocd' } },
    'namespace "argocd"',
  ],
  ['another cluster', { destination: { name: 'apart', namespace: 'shop-rc' } }, 'of apart'],
  ['another project', { project: 'default' }, 'project "default"'],
])('refuses an Application that was changed to %s', async (_, change, shown) => {
  const { store, ensure, read } = await createHarness();
  await ensure('shop-rc');
  const application = await read('shop-rc');
  await store.replace(ApplicationKind, { ...application, spec: { ...application.spec, ...change } });
  await expect(ensure('shop-rc')).rejects.toThrow(shown);
});

it.each([
  ['a moved source', async ({ ensure }: Harness) => await ensure('shop-rc', moved)],
  ['a refresh', async ({ store }: Harness) => await refreshApplication(store, zone)],
])('writes %s again after a conflict with the controller, and fails with every other error', async (_, write) => {
  const harness = await createHarness();
  await harness.ensure('shop-rc');
  const replace = vi.spyOn(harness.store, 'replace');
  replace.mockRejectedValueOnce(new Error('The store is away.'));
  await expect(write(harness)).rejects.toThrow('The store is away.');
  replace.mockRejectedValueOnce(new ServiceError('conflict', 'changed'));
  await write(harness);
  expect(replace).toHaveBeenCalledTimes(3);
});

/** Creates the Application, and deletes it once before it is replaced, although its app runs. */
async function deleteBeforeReplace({ store, ensure, read }: Harness): Promise<Application> {
  await ensure('shop-rc');
  const created = await read('shop-rc');
  const before = await store.replace(ApplicationKind, {
    ...created,
    metadata: { ...created.metadata, finalizers: [] },
  });
  const { replace } = store;
  vi.spyOn(store, 'replace').mockImplementationOnce(async (kind, object) => {
    await store.delete(ApplicationKind, object.metadata);
    return await replace(kind, object);
  });
  return before;
}

it('creates an Application again that a person deletes before its source is replaced', async () => {
  const harness = await createHarness();
  const { metadata } = await deleteBeforeReplace(harness);
  await harness.ensure('shop-rc', moved);
  const application = await harness.read('shop-rc');
  expect(application.metadata.uid).not.toBe(metadata.uid);
  expect(application.spec.source.repoURL).toBe(moved.repoUrl);
});

it('refreshes no Application that a person deletes meanwhile', async () => {
  const harness = await createHarness();
  await deleteBeforeReplace(harness);
  await refreshApplication(harness.store, zone);
  expect((await harness.store.list(ApplicationKind)).items).toEqual([]);
});

it('marks an Application for a refresh until the controller has done it, and ignores one that is gone', async () => {
  const { store, ensure, read } = await createHarness();
  await refreshApplication(store, zone);
  await ensure('shop-rc');
  const marked = async () => {
    await refreshApplication(store, zone);
    const { metadata } = await read('shop-rc');
    expect(metadata.annotations?.[refreshAnnotation]).toBe('normal');
    return metadata.resourceVersion;
  };
  const first = await marked();
  expect(await marked()).toBe(first);
  const { annotations: _, ...unmarked } = (await read('shop-rc')).metadata;
  await store.replace(ApplicationKind, { ...(await read('shop-rc')), metadata: unmarked });
  expect(await marked()).not.toBe(first);
});
