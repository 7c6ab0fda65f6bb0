import { expect, it, onTestFinished } from 'vitest';
import { listArchiveEntries, takeSnapshot } from '../../../activities/backups/list-archive-entries.ts';
import { isNonRetryable } from '../../../activities/to-failure.ts';
import { ServiceError } from '../../../src/errors.ts';
import { AccessGroupKind } from '../../../src/rules/access/kinds.ts';
import { archivedKinds } from '../../../src/rules/backups/archived-objects.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import { openKubernetesStore } from '../../../src/store/kubernetes.ts';
import { invalidPageError } from '../../../src/store/store-errors.ts';
import type { Store } from '../../../src/store/store.ts';
import { startKubernetesApi } from '../../support/servers/kubernetes-api.ts';
import { createInstallation, fill } from './backup-fixture.ts';

it('lists owners before what they own, then the blobs, also in a cluster without the other systems', async () => {
  const { store, blobs } = await createInstallation();
  await fill({ store, blobs });
  const incomplete: Store = {
    ...store,
    list: async (kind, options) => {
      if (kind.kind === 'DNSEndpoint') throw new ServiceError('not-found', 'no such kind');
      return await store.list(kind, options);
    },
  };
  const counted: string[] = [];
  const entries = listArchiveEntries(
    { store: incomplete, blobs },
    await takeSnapshot(store),
    async (what) => void counted.push(what),
  );
  const names = (await Array.fromAsync(entries)).map(({ name }) => name);
  const at = (text: string): number => names.findIndex((name) => name.includes(text));
  expect(at('Product/org-acme/hello')).toBeLessThan(at('Release/org-acme/hello-v0.1.0'));
  expect(at('Release/org-acme/hello-v0.1.0')).toBeLessThan(at('Promotion/'));
  expect(at('AgentWorkflowRun/')).toBeLessThan(at('ConfigMap/org-acme/artifact-1'));
  expect(names.at(-1)).toMatch(/^blobs\/runs\//);
  expect(names).toContain('objects/Namespace/_/hello-rc.json');
  expect(names.filter((name) => /token-1|service-setup|request-1|sign-in-1|\/default/.test(name))).toEqual([]);
  expect(counted).toHaveLength(names.length);
});

it('lists the objects of every page', async () => {
  const { store, blobs } = await createInstallation();
  await fill({ store, blobs });
  const count = 5;
  for (let index = 0; index < count; index += 1) {
    const name = `group-${index}`;
    await store.create(AccessGroupKind, {
      metadata: { namespace: 'org-acme', name },
      spec: { name, role: 'viewer', members: [] },
    });
  }
  const paging: Store = { ...store, list: async (kind, options) => await store.list(kind, { ...options, limit: 2 }) };
  const entries = await Array.fromAsync(
    listArchiveEntries({ store: paging, blobs }, await takeSnapshot(store), async () => {}),
  );
  const names = entries.map(({ name }) => name).filter((name) => name.includes('/group-'));
  expect(new Set(names).size).toBe(count);
  expect(names).toHaveLength(count);
});

it.each([
  ['another system that fails', 'DNSEndpoint', new Error('the API server is away'), 'the API server is away'],
  ['a kind of the service that is missing', 'Product', new ServiceError('not-found', 'no such kind'), 'no such kind'],
])('fails because of %s', async (_, failing, error, message) => {
  const { store, blobs } = await createInstallation();
  await fill({ store, blobs });
  const broken: Store = {
    ...store,
    list: async (kind, options) => {
      if (kind.kind === failing) throw error;
      return await store.list(kind, options);
    },
  };
  const entries = listArchiveEntries({ store: broken, blobs }, await takeSnapshot(store), async () => {});
  await expect(Array.fromAsync(entries)).rejects.toThrow(message);
});

it('fails in a way that is retried when the store no longer keeps the version', async () => {
  const { store, blobs } = await createInstallation();
  await fill({ store, blobs });
  const expired: Store = {
    ...store,
    list: async (kind, options) => {
      if (kind.kind === 'Product') throw invalidPageError('too much has changed since the previous page');
      return await store.list(kind, options);
    },
  };
  const entries = listArchiveEntries({ store: expired, blobs }, await takeSnapshot(store), async () => {});
  const error: unknown = await Array.fromAsync(entries).catch((cause: unknown) => cause);
  expect(error).toMatchObject({ code: 'unavailable' });
  expect(isNonRetryable(error)).toBe(false);
});

it('leaves out a blob that was deleted after it was listed', async () => {
  const { store, blobs } = await createInstallation();
  await fill({ store, blobs });
  const [deleted = '', ...others] = await blobs.list('');
  await blobs.put('runs/kept', Buffer.from('kept'));
  const shrinking = { ...blobs, find: async (key: string) => (key === deleted ? undefined : await blobs.find(key)) };
  const counted: string[] = [];
  const entries = await Array.fromAsync(
    listArchiveEntries({ store, blobs: shrinking }, await takeSnapshot(store), async (what) => void counted.push(what)),
  );
  const names = entries.map(({ name }) => name).filter((name) => name.startsWith('blobs/'));
  expect(names.toSorted()).toEqual([...others, 'runs/kept'].map((key) => `blobs/${key}`).toSorted());
  expect(counted.filter((what) => what === 'blobs')).toHaveLength(names.length);
});

it('reads each object once from a cluster, however many there are', async () => {
  const requests: string[] = [];
  const server = await startKubernetesApi(
    archivedKinds.map(({ kind }) => kind),
    ({ method, path }) => void requests.push(`${method} ${path}`),
  );
  const store = await openKubernetesStore(server.kubeConfig);
  onTestFinished(async () => {
    await store.close();
    await server.stop();
  });
  const spec = { codehostAccount: 'acme', gitopsRepo: 'acme/gitops' };
  await server.store.create(OrganizationKind, { metadata: { namespace: systemNamespace, name: 'acme' }, spec });
  const names = Array.from({ length: 2_100 }, (_, index) => `shop-v0.${index}.0`);
  for (const name of names)
    await server.store.create(ReleaseKind, {
      metadata: { namespace: 'org-acme', name },
      spec: { product: 'shop', repo: 'acme/shop', commit: 'abc', version: name.slice(5), startedBy: 'ada@example.com' },
    });
  const { blobs } = await createInstallation();
  const entries = listArchiveEntries({ store, blobs }, await takeSnapshot(store), async () => {});
  const listed = (await Array.fromAsync(entries)).map(({ name }) => name).filter((name) => name.includes('/Release/'));
  expect(listed).toEqual(names.toSorted().map((name) => `objects/Release/org-acme/${name}.json`));
  expect(requests.filter((request) => request.endsWith('/org-acme/releases'))).toHaveLength(5);
});

it('leaves out archives that share a bucket with the blobs', async () => {
  const { store, blobs } = await createInstallation();
  await fill({ store, blobs });
  const before = await blobs.list('');
  const part = 'backup-20260101120000-1a2b3c4d/000001.age';
  for (const key of [part, `delivery/prod/${part}`]) await blobs.put(key, Buffer.from('an earlier archive'));
  const entries = await Array.fromAsync(
    listArchiveEntries({ store, blobs }, await takeSnapshot(store), async () => {}),
  );
  const names = entries.map(({ name }) => name).filter((name) => name.startsWith('blobs/'));
  expect(names).toEqual(before.map((key) => `blobs/${key}`));
});
