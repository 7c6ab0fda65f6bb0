import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import { ConfigMapKind, SecretKind, toSecretData } from '../../../src/kinds/kubernetes.ts';
import { ApiTokenKind, UserKind } from '../../../src/rules/access/kinds.ts';
import { formerDecisionKeyLabels } from '../../../src/rules/access/decision-keys.ts';
import { RestoreKind, type RestoreStatus, toRestoreSecretRef } from '../../../src/rules/backups/kinds.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import {
  at,
  backUp,
  backup,
  createBackupKey,
  createInstallation,
  fill,
  listObjects,
  restore,
  toNames,
  type Installation,
  withoutOwn,
} from './backup-fixture.ts';

async function confirm({ store }: Installation): Promise<void> {
  await store.updateStatus(
    RestoreKind,
    { namespace: systemNamespace, name: restore },
    ({ status }) =>
      status && { ...status, confirmed: { by: 'root@example.com', digest: status.plan?.digest ?? '', at } },
  );
}

describe('restoreArchive', () => {
  it('brings back every object with its status, uid, owner and times, and every blob', async () => {
    const { source, target, openRestore } = await backUp();
    const readStatus = await openRestore();
    expect(await target.run(async ({ checkArchive }) => await checkArchive({ restore }))).toEqual({ conflicts: 0 });
    expect(await readStatus()).toMatchObject({
      plan: { createdAt: at, version: 'v1.2.3', orgs: ['acme'], contents: { resources: 14, blobs: 1 }, existing: 0 },
    });
    expect(withoutOwn(toNames(await listObjects(target.store)))).toEqual([]);
    await target.run(async ({ restoreArchive }) => await restoreArchive({ restore }));

    const isOwn = (name: string): boolean => withoutOwn([name]).length === 0;
    const restored = (await listObjects(target.store)).filter((object) => !isOwn(toNames([object])[0] ?? ''));
    const original = (await listObjects(source.store)).filter((object) => !isOwn(toNames([object])[0] ?? ''));
    expect(restored).toEqual(original);
    expect(restored.length).toBe(13);
    const keys = await source.blobs.list('');
    expect(await target.blobs.list('')).toEqual(keys);
    for (const key of keys) expect(await target.blobs.find(key)).toEqual(await source.blobs.find(key));
    expect(await readStatus()).toMatchObject({ progress: { resources: 14, blobs: 1 } });
    // Deleting an owner still deletes what it owns.
    await target.store.delete(OrganizationKind, { namespace: systemNamespace, name: 'acme' });
  });

  it('restores no credential of people, and nothing that belongs to the installation itself', async () => {
    const { target, openRestore } = await backUp();
    await openRestore();
    await target.run(async ({ checkArchive }) => await checkArchive({ restore }));
    await target.run(async ({ restoreArchive }) => await restoreArchive({ restore }));
    expect((await target.store.list(ApiTokenKind)).items).toEqual([]);
    const system = (await listObjects(target.store)).filter(({ metadata }) => metadata.namespace === systemNamespace);
    const names = toNames(system).filter((name) => !name.includes(restore));
    expect(names).toEqual([
      'Organization service-system/acme',
      'User service-system/user-ada',
      'Secret service-system/user-ada',
      'ConfigMap service-system/product-hello',
      expect.stringMatching(/^ConfigMap service-system\/service-decision-key-[0-9a-f]{8}$/),
    ]);
    const labels = formerDecisionKeyLabels;
    expect((await target.store.list(ConfigMapKind, { labels })).items).toMatchObject([
      { data: { 'public-key': 'pem' } },
    ]);
  });

  it('continues after a stop between any two writes, with the same result', async () => {
    const { source, target: first, openRestore, recoveryKey } = await backUp();
    await openRestore();
    await first.run(async ({ checkArchive }) => await checkArchive({ restore }));
    await first.run(async ({ restoreArchive }) => await restoreArchive({ restore }));
    const expected = await listObjects(first.store);
    let stops = 0;
    for (let stopAt = 1; ; stopAt += 1) {
      const target = await createInstallation({ backups: source.backups });
      await target.openRestore(restore, recoveryKey);
      await target.run(async ({ checkArchive }) => await checkArchive({ restore }));
      let writes = 0;
      const stopping = async <T>(write: () => Promise<T>): Promise<T> => {
        writes += 1;
        // The process stops after the write, or before it.
        if (writes === stopAt && stopAt % 2 === 0) await write();
        if (writes >= stopAt) throw new Error('killed');
        return await write();
      };
      const { restoreArchive } = target.createActivities({
        store: {
          ...target.store,
          restore: async (kind, object) => await stopping(async () => await target.store.restore(kind, object)),
        },
        blobs: {
          ...target.blobs,
          put: async (key, bytes) => await stopping(async () => await target.blobs.put(key, bytes)),
        },
      });
      const outcome = await target
        .run(async () => await restoreArchive({ restore }))
        .then(
          () => 'complete',
          (error: Error) => error.message,
        );
      stops = stopAt - 1;
      if (outcome === 'complete') break;
      expect(outcome).toBe('killed');
      await target.run(async (activities) => await activities.restoreArchive({ restore }));
      const comparable = (objects: object[]): object[] =>
        objects.filter((object) => !JSON.stringify(object).includes(restore));
      expect(comparable(await listObjects(target.store))).toEqual(comparable(expected));
      expect(await target.blobs.list('')).toEqual(await source.blobs.list(''));
    }
    expect(stops).toBe(15);
  });

  it('reports its progress at most once a second', async () => {
    const { target, openRestore } = await backUp();
    await openRestore();
    await target.run(async ({ checkArchive }) => await checkArchive({ restore }));
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const reports: unknown[] = [];
    const { restoreArchive } = target.createActivities({
      store: {
        ...target.store,
        restore: async (kind, object) => {
          vi.advanceTimersByTime(500);
          return await target.store.restore(kind, object);
        },
        updateStatus: async (kind, ref, change) => {
          const updated = await target.store.updateStatus(kind, ref, change);
          reports.push((updated as { status?: RestoreStatus }).status?.progress);
          return updated;
        },
      },
    });
    await target.run(async () => await restoreArchive({ restore }));
    const seconds = [2, 4, 6, 8, 10, 12, 14].map((resources) => ({ resources, blobs: 0 }));
    expect(reports).toEqual([...seconds, { resources: 14, blobs: 1 }]);
  });

  it('keeps what exists, and brings back what was deleted since', async () => {
    const { source, recoveryKey } = await backUp();
    const ref = { namespace: 'org-acme', name: 'codehost-app' };
    await source.store.delete(SecretKind, ref);
    const product = await source.store.get(ProductKind, { namespace: 'org-acme', name: 'hello' });
    await source.store.replace(ProductKind, { ...product, spec: { ...product.spec, description: 'Newer.' } });
    const readStatus = await source.openRestore(restore, recoveryKey);
    await source.run(async ({ checkArchive }) => await checkArchive({ restore }));
    expect(await readStatus()).toMatchObject({ plan: { existing: 13 } });
    expect((await readStatus())?.conflicts).toBeUndefined();
    await source.run(async ({ restoreArchive }) => await restoreArchive({ restore }));
    expect(await source.store.find(SecretKind, ref)).toMatchObject({ data: toSecretData({ id: '1' }) });
    expect(await source.store.get(ProductKind, product.metadata)).toMatchObject({ spec: { description: 'Newer.' } });
  });

  it('uses no archive but the one that was checked', async () => {
    const { source, target, openRestore } = await backUp();
    await openRestore();
    await target.run(async ({ checkArchive }) => await checkArchive({ restore }));
    await source.store.create(UserKind, {
      metadata: { namespace: systemNamespace, name: 'user-mallory' },
      spec: { email: 'mallory@example.com', platformAdmin: true },
    });
    await source.run(async ({ writeBackup }) => await writeBackup({ backup }));
    await expect(target.run(async ({ restoreArchive }) => await restoreArchive({ restore }))).rejects.toMatchObject({
      reason: 'archive-refused',
    });
    expect((await target.store.list(UserKind)).items).toEqual([]);
  });
});

describe('checkArchive', () => {
  it('lists the resources whose names others have, but keeps the people who are there', async () => {
    const { target, openRestore } = await backUp();
    await target.store.create(OrganizationKind, {
      metadata: { namespace: systemNamespace, name: 'acme' },
      spec: { codehostAccount: 'other', gitopsRepo: 'other/gitops' },
    });
    await target.store.create(UserKind, {
      metadata: { namespace: systemNamespace, name: 'user-ada' },
      spec: { email: 'ada@example.com', platformAdmin: false },
    });
    const reservation = { namespace: systemNamespace, name: 'product-hello' };
    await target.store.create(ConfigMapKind, { metadata: reservation, data: { org: 'other' } });
    const readStatus = await openRestore();
    expect(await target.run(async ({ checkArchive }) => await checkArchive({ restore }))).toEqual({ conflicts: 2 });
    expect(await readStatus()).toMatchObject({
      conflicts: ['Organization service-system/acme', 'ConfigMap service-system/product-hello'],
      // The password of the archive is not that of the person who is there.
      plan: { existing: 2 },
    });
  });

  it('finds nothing in the way of what the cluster and Helm write into the namespaces, and restores none of it', async () => {
    const source = await createInstallation();
    const recoveryKey = await createBackupKey(source);
    await fill(source);
    const target = await createInstallation({ backups: source.backups });
    const authority = { namespace: systemNamespace, name: 'kube-root-ca.crt' };
    for (const { store } of [source, target])
      await store.create(ConfigMapKind, { metadata: authority, data: { 'ca.crt': crypto.randomUUID() } });
    const chart = { namespace: systemNamespace, name: 'service', labels: { 'app.kubernetes.io/managed-by': 'Helm' } };
    for (const { store } of [source, target])
      await store.create(ConfigMapKind, { metadata: chart, data: { PUBLIC_URL: crypto.randomUUID() } });
    const history = { namespace: systemNamespace, name: 'sh.helm.release.v1.service.v7' };
    await source.store.create(SecretKind, { metadata: history, type: 'helm.sh/release.v1' });
    const before = await target.store.get(ConfigMapKind, chart);
    await source.run(async ({ openBackup, writeBackup }) => {
      await openBackup({ backup, startedBy: 'root@example.com', at });
      await writeBackup({ backup });
    });
    await target.openRestore(restore, recoveryKey);
    expect(await target.run(async ({ checkArchive }) => await checkArchive({ restore }))).toEqual({ conflicts: 0 });
    await target.run(async ({ restoreArchive }) => await restoreArchive({ restore }));
    expect(await target.store.find(SecretKind, history)).toBeUndefined();
    expect(await target.store.get(ConfigMapKind, chart)).toEqual(before);
  });

  it('refuses a wrong key and an archive that does not exist', async () => {
    const { target, openRestore } = await backUp();
    await openRestore(await createBackupKey(await createInstallation()));
    await expect(target.run(async ({ checkArchive }) => await checkArchive({ restore }))).rejects.toMatchObject({
      reason: 'recovery-key-wrong',
    });
    await target.openRestore('restore-2', 'x', 'backup-20250101120000-1a2b3c4d');
    await expect(
      target.run(async ({ checkArchive }) => await checkArchive({ restore: 'restore-2' })),
    ).rejects.toMatchObject({ reason: expect.stringMatching(/not-found|recovery-key-wrong/) });
  });

  it('fails in a way that is retried while the destination is away', async () => {
    const { target, openRestore } = await backUp();
    await openRestore();
    const away = new ServiceError('blob-store-unavailable', 'The blob bucket "backups" is unavailable.');
    const find = async (): Promise<never> => await Promise.reject(away);
    const { checkArchive } = target.createActivities({ backups: { ...target.backups, find } });
    await expect(target.run(async () => await checkArchive({ restore }))).rejects.toBe(away);
  });

  it('ends the restores whose workflow was lost, so that they lock nothing', async () => {
    const { target, openRestore } = await backUp();
    const phases: RestoreStatus['phase'][] = ['Ready', 'Restoring', 'Restarting', 'Succeeded'];
    for (const phase of phases) {
      await target.openRestore(`restore-${phase.toLowerCase()}`, 'x');
      const ref = { namespace: systemNamespace, name: `restore-${phase.toLowerCase()}` };
      await target.store.updateStatus(RestoreKind, ref, () => ({ phase, startedAt: at }));
    }
    const metadata = { namespace: systemNamespace, name: 'restore-unstarted' };
    await target.store.create(RestoreKind, { metadata, spec: { startedBy: 'root@example.com', backup } });
    await openRestore();
    await target.run(async ({ checkArchive }) => await checkArchive({ restore }));
    const { items } = await target.store.list(RestoreKind);
    expect(items.map((one) => [one.metadata.name, one.status?.phase])).toEqual([
      ['restore-1', 'Checking'],
      ['restore-ready', 'Failed'],
      ['restore-restarting', 'Failed'],
      ['restore-restoring', 'Failed'],
      ['restore-succeeded', 'Succeeded'],
      ['restore-unstarted', 'Failed'],
    ]);
    const ended = {
      startedAt: at,
      finishedAt: at,
      failure: { reason: 'cancelled', resource: 'Restore restore-ready' },
    };
    expect(items[1]?.status).toMatchObject(ended);
    const keys = (await target.store.list(SecretKind)).items.map((one) => one.metadata.name);
    expect(keys).toEqual([toRestoreSecretRef(restore).name, toRestoreSecretRef('restore-succeeded').name]);
  });

  it('refuses the archive of one backup in the folder of another', async () => {
    const { source, target, recoveryKey } = await backUp();
    const other = 'backup-20260102120000-1a2b3c4d';
    await source.backups.put(`${other}/000001.age`, (await source.backups.find(`${backup}/000001.age`)) ?? Buffer.of());
    await target.openRestore(restore, recoveryKey, other);
    await expect(target.run(async ({ checkArchive }) => await checkArchive({ restore }))).rejects.toMatchObject({
      reason: 'archive-refused',
    });
  });
});

describe('recordRestore', () => {
  it('records next to the rest of the status, and nothing of a restore that was not opened', async () => {
    const target = await createInstallation();
    const readStatus = await target.openRestore(restore, 'x');
    const patch = { phase: 'Failed' as const, finishedAt: at };
    await target.run(async ({ recordRestore }) => await recordRestore({ restore, patch }));
    expect(await readStatus()).toEqual({ startedAt: at, ...patch });
    const metadata = { namespace: systemNamespace, name: 'restore-2' };
    await target.store.create(RestoreKind, { metadata, spec: { startedBy: 'root@example.com', backup } });
    await target.run(async ({ recordRestore }) => await recordRestore({ restore: 'restore-2', patch }));
    expect((await target.store.get(RestoreKind, metadata)).status).toBeUndefined();
  });
});

describe('deleteRecoveryKey', () => {
  it('deletes the key of one restore, however often', async () => {
    const target = await createInstallation();
    for (const name of [restore, 'restore-2']) await target.openRestore(name, 'x');
    for (let time = 0; time < 2; time += 1)
      await target.run(async ({ deleteRecoveryKey }) => await deleteRecoveryKey({ restore }));
    const keys = (await target.store.list(SecretKind)).items.map(({ metadata }) => metadata.name);
    expect(keys).toEqual([toRestoreSecretRef('restore-2').name]);
    await expect(target.run(async ({ checkArchive }) => await checkArchive({ restore }))).rejects.toMatchObject({
      reason: 'recovery-key-wrong',
    });
  });
});

describe('beginRestore', () => {
  it('begins no plan but the one that was confirmed, and none again that has ended', async () => {
    const { target, openRestore } = await backUp();
    const readStatus = await openRestore();
    await target.run(async ({ checkArchive }) => await checkArchive({ restore }));
    const begin = async () => await target.run(async ({ beginRestore }) => await beginRestore({ restore }));
    const ref = { namespace: systemNamespace, name: restore };
    const set = async (patch: Partial<RestoreStatus>) =>
      await target.store.updateStatus(RestoreKind, ref, ({ status }) => status && { ...status, ...patch });
    const { digest = '' } = (await readStatus())?.plan ?? {};
    await set({ confirmed: { by: 'root@example.com', digest: 'that of an earlier plan', at } });
    expect(await begin()).toBe(false);
    await set({ confirmed: { by: 'root@example.com', digest, at }, phase: 'Failed' });
    expect(await begin()).toBe(false);
    expect((await readStatus())?.phase).toBe('Failed');
  });

  it('begins only the plan that a person confirmed', async () => {
    const { target, openRestore } = await backUp();
    const readStatus = await openRestore();
    await target.run(async ({ checkArchive }) => await checkArchive({ restore }));
    const begin = async () => await target.run(async ({ beginRestore }) => await beginRestore({ restore }));
    expect(await begin()).toBe(false);
    await confirm(target);
    expect(await begin()).toBe(true);
    // A repetition after a lost result begins it too.
    expect(await begin()).toBe(true);
    expect(await readStatus()).toMatchObject({ phase: 'Restoring' });
  });
});
