import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createBackupActivities } from '../../../activities/backups/backup-activities.ts';
import { createRestoreActivities } from '../../../activities/backups/restore-activities.ts';
import { createRecoveryKey, deriveArchiveKeys } from '../../../src/integrations/backups/recovery-key.ts';
import { type Blobs } from '../../../src/integrations/blobs/blobs.ts';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import { ApplicationKind } from '../../../src/kinds/argo-cd.ts';
import { ConfigMapKind, NamespaceKind, SecretKind, toSecretData } from '../../../src/kinds/kubernetes.ts';
import { AccessGroupKind, ApiTokenKind, UserKind } from '../../../src/rules/access/kinds.ts';
import { archivedKinds } from '../../../src/rules/backups/archived-objects.ts';
import { RestoreKind } from '../../../src/rules/backups/kinds.ts';
import { backupKeySecret, toRestoreSecretRef } from '../../../src/rules/backups/kinds.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { zoneNamespaceLabels } from '../../../src/rules/environments/zone-namespace.ts';
import { connectionStateLabels, requestLabels, signInAttemptLabels } from '../../../src/rules/expiry.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { PromotionKind } from '../../../src/rules/promotions/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { ownerReference, type StoredObject, systemNamespace } from '../../../src/rules/resource.ts';
import type { Store } from '../../../src/store/store.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

export const backup = 'backup-20260101120000-1a2b3c4d';
export const restore = 'restore-1';
export const at = '2026-01-01T12:00:00.000Z';

/** An installation with blobs of its own, and a store unless one is given; several can share one destination of backups. */
export async function createInstallation({
  backups,
  store = openTestStore(),
}: { backups?: Blobs; store?: Store } = {}) {
  const folder = await createScratchFolder();
  const blobs = directoryBlobs(join(folder, 'blobs'));
  const destination = backups ?? directoryBlobs(join(folder, 'backups'));
  const deps = { store, blobs, backups: destination, version: 'v1.2.3', now: () => new Date(at) };
  const environment = () => new MockActivityEnvironment();
  const createActivities = (overrides: Partial<typeof deps> = {}) => ({
    ...createBackupActivities({ ...deps, ...overrides }),
    ...createRestoreActivities({ ...deps, ...overrides }),
  });
  return {
    ...deps,
    createActivities,
    run: async <T>(call: (activities: ReturnType<typeof createActivities>) => Promise<T>): Promise<T> =>
      await environment().run(async () => await call(createActivities())),
    /** Opens a restore as the API does. */
    openRestore: async (restore: string, recoveryKey: string, of = backup) => {
      const ref = { namespace: systemNamespace, name: restore };
      await store.create(RestoreKind, { metadata: ref, spec: { startedBy: 'root@example.com', backup: of } });
      await store.updateStatus(RestoreKind, ref, () => ({ phase: 'Checking' as const, startedAt: at }));
      await store.create(SecretKind, { metadata: toRestoreSecretRef(restore), data: toSecretData({ recoveryKey }) });
      return async () => (await store.get(RestoreKind, ref)).status;
    },
  };
}

export type Installation = Awaited<ReturnType<typeof createInstallation>>;

export async function createBackupKey({ store }: Pick<Installation, 'store'>): Promise<string> {
  const recoveryKey = await createRecoveryKey();
  const { recipient, seal } = await deriveArchiveKeys(recoveryKey);
  const data = toSecretData({ recipient, seal: Buffer.from(seal).toString('base64') });
  await store.create(SecretKind, { metadata: backupKeySecret, data });
  return recoveryKey;
}

/** Fills an installation with one object of each sort that refers to another. */
export async function fill({ store, blobs }: Pick<Installation, 'store' | 'blobs'>): Promise<void> {
  const namespace = 'org-acme';
  const system = systemNamespace;
  await store.create(OrganizationKind, {
    metadata: { namespace: system, name: 'acme' },
    spec: { codehostAccount: 'acme', gitopsRepo: 'acme/gitops' },
  });
  const user = await store.create(UserKind, {
    metadata: { namespace: system, name: 'user-ada' },
    spec: { email: 'ada@example.com', platformAdmin: true },
  });
  await store.create(SecretKind, {
    metadata: { namespace: system, name: 'user-ada' },
    data: toSecretData({ hash: 'x' }),
  });
  await store.create(ApiTokenKind, {
    metadata: { namespace: system, name: 'token-1', ownerReferences: [ownerReference(user)] },
    spec: { use: 'token', user: 'user-ada', userUid: user.metadata.uid, label: 'laptop' },
  });
  await store.create(AccessGroupKind, {
    metadata: { namespace, name: 'members' },
    spec: { name: 'members', role: 'member', members: ['ada@example.com'] },
  });
  const product = await store.create(ProductKind, {
    metadata: {
      namespace,
      name: 'hello',
      annotations: { note: 'kept' },
      finalizers: ['service.delivery/environments'],
    },
    spec: {
      repos: ['acme/hello'],
      delivery: { zones: [{ name: 'hello-rc', promotionPolicy: 'automatic', access: 'public' }] },
    },
  });
  await store.updateStatus(ProductKind, product.metadata, () => ({ zones: [{ name: 'hello-rc', version: 'v0.1.0' }] }));
  await store.replace(ProductKind, {
    ...(await store.get(ProductKind, product.metadata)),
    spec: { ...product.spec, description: 'Says hello.' },
  });
  const owners = [ownerReference(product)];
  const run = await store.create(AgentWorkflowRunKind, {
    metadata: { namespace, name: 'change-hello-1', ownerReferences: owners },
    spec: { agentWorkflow: 'change', product: 'hello', startedBy: 'ada@example.com', steps: [], roles: {} },
  });
  await store.updateStatus(AgentWorkflowRunKind, run.metadata, () => ({ phase: 'Running' as const, steps: [] }));
  const release = await store.create(ReleaseKind, {
    metadata: { namespace, name: 'hello-v0.1.0', ownerReferences: owners },
    spec: { product: 'hello', repo: 'acme/hello', commit: 'abc', version: 'v0.1.0', startedBy: 'ada@example.com' },
  });
  await store.create(PromotionKind, {
    metadata: { namespace, name: 'hello-v0.1.0-hello-rc-1', ownerReferences: [ownerReference(release)] },
    spec: {
      product: 'hello',
      zone: 'hello-rc',
      release: 'hello-v0.1.0',
      version: 'v0.1.0',
      commit: 'abc',
      trigger: 'release',
      startedBy: 'ada@example.com',
    },
  });
  await store.create(SecretKind, { metadata: { namespace, name: 'codehost-app' }, data: toSecretData({ id: '1' }) });
  const artifact = { namespace, name: 'artifact-1', ownerReferences: [ownerReference(run)] };
  await store.create(ConfigMapKind, { metadata: artifact, binaryData: { report: 'eA==' } });
  await store.create(ConfigMapKind, { metadata: { namespace: system, name: 'product-hello' }, data: { org: 'acme' } });
  const owner = { org: 'acme', product: 'hello', zone: 'hello-rc', uid: product.metadata.uid };
  await store.create(NamespaceKind, {
    metadata: { namespace: '', name: 'hello-rc', labels: zoneNamespaceLabels(owner) },
  });
  await store.create(ApplicationKind, {
    metadata: { namespace, name: 'hello-rc', ownerReferences: owners },
    spec: {
      project: 'org-acme',
      source: { repoURL: 'x', path: '.', targetRevision: 'main' },
      destination: { namespace: 'hello-rc' },
    },
  });
  await blobs.put(`runs/${run.metadata.uid}/implement/0001/prompt`, Buffer.from('Write a greeting.'));
  // These belong to this installation or to a request alone.
  for (const name of ['service-decision-key', 'service-setup', 'service-alert-webhook'])
    await store.create(SecretKind, { metadata: { namespace: system, name }, data: toSecretData({ own: name }) });
  await store.create(NamespaceKind, { metadata: { namespace: '', name: 'default' } });
  await store.create(SecretKind, { metadata: { namespace: system, name: 'state-1', labels: connectionStateLabels } });
  await store.create(ConfigMapKind, { metadata: { namespace: system, name: 'request-1', labels: requestLabels } });
  await store.create(ConfigMapKind, {
    metadata: { namespace: system, name: 'sign-in-1', labels: signInAttemptLabels },
  });
  await store.create(ConfigMapKind, { metadata: { namespace: system, name: 'root-user' }, data: { user: 'user-ada' } });
  await store.create(ConfigMapKind, {
    metadata: { namespace: system, name: 'service-decision-key' },
    data: { 'public-key': 'pem' },
  });
}

/** Lists all objects without their versions, which no two stores have in common. */
export async function listObjects(store: Store): Promise<StoredObject[]> {
  const lists = await Promise.all(archivedKinds.map(async ({ kind }) => (await store.list(kind)).items));
  return lists.flat().map((object) => ({ ...object, metadata: { ...object.metadata, resourceVersion: '' } }));
}

export const toNames = (objects: StoredObject[]): string[] =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`);

/** Backs up a filled installation, and opens an empty one with the same destination. */
export async function backUp() {
  const source = await createInstallation();
  const recoveryKey = await createBackupKey(source);
  await fill(source);
  await source.run(async ({ openBackup, writeBackup }) => {
    await openBackup({ backup, startedBy: 'root@example.com', at });
    await writeBackup({ backup });
  });
  const target = await createInstallation({ backups: source.backups });
  const openRestore = async (key = recoveryKey) => await target.openRestore(restore, key);
  return { source, target, recoveryKey, openRestore };
}

/** Leaves out the objects that each installation has for itself. */
export const withoutOwn = (names: string[]): string[] =>
  names.filter((name) => !/\/(service-|root-user|state-1|request-1|sign-in-1|default$)/.test(name));
