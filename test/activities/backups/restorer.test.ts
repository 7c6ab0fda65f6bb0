import { expect, it } from 'vitest';
import { createRestorer } from '../../../activities/backups/restorer.ts';
import { ConfigMapKind, SecretKind } from '../../../src/kinds/kubernetes.ts';
import { UserKind } from '../../../src/rules/access/kinds.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { InstallationKind, installationRef } from '../../../src/rules/installation/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import type { StoredObject } from '../../../src/rules/resource.ts';
import type { Store } from '../../../src/store/store.ts';
import { createInstallation, fill } from './backup-fixture.ts';

const toEntry = (object: object, name = 'objects/x.json') => ({ name, bytes: Buffer.from(JSON.stringify(object)) });
const metadata = { namespace: 'org-acme', name: 'x', uid: 'u1' };

it.each([
  ['a kind that no backup has', { apiVersion: 'v1', kind: 'Pod', metadata }],
  ['a credential', { apiVersion: 'service.delivery/v1', kind: 'ApiToken', metadata }],
  [
    'a namespace of the cluster',
    { apiVersion: 'v1', kind: 'Secret', metadata: { ...metadata, namespace: 'kube-system' } },
  ],
  ['a Namespace that is of no zone', { apiVersion: 'v1', kind: 'Namespace', metadata: { ...metadata, namespace: '' } }],
  [
    'the setup token',
    { apiVersion: 'v1', kind: 'Secret', metadata: { ...metadata, namespace: 'service-system', name: 'service-setup' } },
  ],
  [
    'the key that signs decisions',
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...metadata, namespace: 'service-system', name: 'service-decision-key' },
    },
  ],
  ['no object', []],
  ['a spec of another version', { apiVersion: 'service.delivery/v1', kind: 'Release', metadata, spec: { next: true } }],
])('refuses %s', async (_, object) => {
  const restorer = createRestorer(await createInstallation());
  for (const call of [restorer.check, restorer.restore])
    await expect(call(toEntry(object))).rejects.toMatchObject({ reason: 'archive-refused' });
});

it.each([
  ['spec', { spec: { email: 7, platformAdmin: true } }, 'email'],
  ['first of two fields', { spec: { email: 7, platformAdmin: 'yes' } }, 'email'],
  ['status', { spec: { email: 'ada@example.com', platformAdmin: true }, status: { identities: 'x' } }, 'identities'],
])('names what it cannot read, but not its value: %s', async (_, more, path) => {
  const user = { apiVersion: 'service.delivery/v1', kind: 'User', ...more };
  const entry = toEntry({ ...user, metadata: { ...metadata, namespace: 'service-system', name: 'user-ada' } });
  await expect(createRestorer(await createInstallation()).check(entry)).rejects.toMatchObject({
    reason: 'archive-refused',
    message: expect.stringContaining(`cannot read "objects/x.json": ${path}`),
  });
});

it('skips what earlier versions archived of the cluster', async () => {
  const { store, blobs } = await createInstallation();
  const { check, restore } = createRestorer({ store, blobs });
  const ref = { namespace: 'org-acme', name: 'kube-root-ca.crt' };
  await store.create(ConfigMapKind, { metadata: ref, data: { 'ca.crt': 'of this cluster' } });
  const archived = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...ref, uid: 'u1' },
    data: { 'ca.crt': 'other' },
  };
  expect(await check(toEntry(archived))).toMatchObject({ outcome: 'exists' });
  const elsewhere = { ...archived, metadata: { ...archived.metadata, namespace: 'org-other' } };
  await restore(toEntry(elsewhere));
  expect(await store.find(ConfigMapKind, elsewhere.metadata)).toBeUndefined();
});

it('refuses names and keys that leave their folder', async () => {
  const { store, blobs } = await createInstallation();
  const { restore, check } = createRestorer({ store, blobs });
  for (const name of ['blobs/../../etc/passwd', 'blobs//etc/passwd', 'blobs/a/.hidden'])
    await expect(restore({ name, bytes: Buffer.from('x') })).rejects.toMatchObject({ code: 'invalid' });
  await expect(check(toEntry({ apiVersion: 'v1', kind: 'Secret', metadata }, '../x.json'))).rejects.toMatchObject({
    reason: 'archive-refused',
  });
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { ...metadata, name: '../x' } };
  await expect(restore(toEntry(secret))).rejects.toMatchObject({ code: 'invalid' });
});

it('uses the new uids of a store that assigns them, in owners, labels and keys of blobs', async () => {
  const source = await createInstallation();
  await fill(source);
  const target = await createInstallation();
  // A cluster assigns uids itself.
  const restoreInCluster: Store['restore'] = async (kind, object) => {
    const uid = crypto.randomUUID();
    return await target.store.restore(kind, { ...object, metadata: { ...object.metadata, uid } });
  };
  const restorer = createRestorer({ store: { ...target.store, restore: restoreInCluster }, blobs: target.blobs });
  const namespace = 'org-acme';
  const product = await source.store.get(ProductKind, { namespace, name: 'hello' });
  const run = await source.store.get(AgentWorkflowRunKind, { namespace, name: 'change-hello-1' });
  for (const object of [product, run] satisfies StoredObject[]) await restorer.restore(toEntry(object));
  await restorer.restore({ name: `blobs/runs/${run.metadata.uid}/implement/0001/prompt`, bytes: Buffer.from('x') });
  const restoredRun = await target.store.get(AgentWorkflowRunKind, run.metadata);
  const restoredProduct = await target.store.get(ProductKind, product.metadata);
  expect(restoredProduct.metadata.uid).not.toBe(product.metadata.uid);
  expect(restoredRun.metadata.ownerReferences).toMatchObject([{ uid: restoredProduct.metadata.uid }]);
  expect(await target.blobs.list('')).toEqual([`runs/${restoredRun.metadata.uid}/implement/0001/prompt`]);
});

it('restores the settings of the installation over those of its first start, and keeps those of a person', async () => {
  const { store, blobs } = await createInstallation();
  const toSpec = (...managedDomainRoots: string[]) => ({
    managedDomainRoots,
    signIn: { password: 'everyone' as const },
  });
  await store.create(InstallationKind, { metadata: installationRef, spec: toSpec() });
  const readRoots = async () => (await store.get(InstallationKind, installationRef)).spec.managedDomainRoots;
  const { check, restore } = createRestorer({ store, blobs });
  const toArchived = (root: string) =>
    toEntry({
      apiVersion: 'service.delivery/v1',
      kind: 'Installation',
      metadata: { ...installationRef, uid: crypto.randomUUID() },
      spec: toSpec(root),
    });
  for (let attempt = 0; attempt < 2; attempt += 1) {
    expect(await check(toArchived('apps.example.com'))).toMatchObject({ outcome: 'exists' });
    expect(await restore(toArchived('apps.example.com'))).toBe('resources');
    expect(await readRoots()).toEqual(['apps.example.com']);
  }
  expect(await restore(toArchived('other.example.com'))).toBe('resources');
  expect(await readRoots()).toEqual(['apps.example.com']);
});

it('restores no password of a person whose address another one has now', async () => {
  const { store, blobs } = await createInstallation();
  const namespace = 'service-system';
  const spec = { email: 'ada@example.com', platformAdmin: false };
  const data = { 'password-hash': 'aGFzaA==' };
  const [other, restored] = [
    { namespace, name: 'user-other' },
    { namespace, name: 'user-restored' },
  ];
  await store.create(UserKind, { metadata: other, spec });
  const entries = [
    { apiVersion: 'service.delivery/v1', kind: 'User', metadata: { ...other, uid: 'u1' }, spec },
    { apiVersion: 'service.delivery/v1', kind: 'User', metadata: { ...restored, uid: 'u2' }, spec },
    { apiVersion: 'v1', kind: 'Secret', metadata: { ...other, uid: 's1' }, data },
    { apiVersion: 'v1', kind: 'Secret', metadata: { ...restored, uid: 's2' }, data },
  ].map((object) => toEntry(object));
  // A repetition finds the person that the first attempt has restored.
  for (const others of ['missing', 'exists']) {
    const { check, restore } = createRestorer({ store, blobs });
    const outcomes: string[] = [];
    for (const entry of entries) outcomes.push((await check(entry)).outcome);
    expect(outcomes).toEqual(['exists', others, 'exists', others]);
    for (const entry of entries) expect(await restore(entry)).toBe('resources');
    expect(await store.find(SecretKind, other)).toBeUndefined();
    expect(await store.find(SecretKind, restored)).toMatchObject({ data });
  }
});
