import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { BackupKind, RestoreKind } from '../../../src/rules/backups/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import type { Store } from '../../../src/store/store.ts';
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
  withoutOwn,
} from './backup-fixture.ts';

describe('writeBackup', () => {
  it('records what the archive contains, and replaces the parts of an earlier attempt', async () => {
    const { source } = await backUp();
    const read = async () => (await source.store.get(BackupKind, { namespace: systemNamespace, name: backup })).status;
    const first = await read();
    expect(first).toMatchObject({
      phase: 'Running',
      progress: { resources: 14, blobs: 1 },
      parts: 1,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      key: expect.stringMatching(/^age1/),
    });
    await source.backups.put(`${backup}/000002.age`, Buffer.from('of an attempt that wrote more'));
    await source.run(async ({ writeBackup }) => await writeBackup({ backup }));
    expect(await source.backups.list(backup)).toEqual([`${backup}/000001.age`]);
  });

  it('shows one moment, although resources change meanwhile', async () => {
    const source = await createInstallation();
    const recoveryKey = await createBackupKey(source);
    await fill(source);
    const before = await listObjects(source.store);
    let isChanged = false;
    const changing: Store = {
      ...source.store,
      list: async (kind, options) => {
        const page = await source.store.list(kind, options);
        // The orgs are listed first, to find the version of all other lists.
        if (kind.kind === 'Organization' && !isChanged) {
          isChanged = true;
          const product = await source.store.get(ProductKind, { namespace: 'org-acme', name: 'hello' });
          await source.store.replace(ProductKind, { ...product, spec: { ...product.spec, description: 'Later.' } });
          await source.store.create(SecretKind, { metadata: { namespace: 'org-acme', name: 'later' } });
        }
        return page;
      },
    };
    const { openBackup, writeBackup } = source.createActivities({ store: changing });
    await source.run(async () => {
      await openBackup({ backup, startedBy: 'root@example.com', at });
      await writeBackup({ backup });
    });
    const target = await createInstallation({ backups: source.backups });
    await target.openRestore(restore, recoveryKey);
    await target.run(async ({ checkArchive }) => await checkArchive({ restore }));
    await target.run(async ({ restoreArchive }) => await restoreArchive({ restore }));
    expect(withoutOwn(toNames(await listObjects(target.store)))).toEqual(withoutOwn(toNames(before)));
    expect(await target.store.get(ProductKind, { namespace: 'org-acme', name: 'hello' })).toMatchObject({
      spec: { description: 'Says hello.' },
    });
  });

  it('stops an attempt that has been replaced before it writes into the archive of the other', async () => {
    const source = await createInstallation();
    await createBackupKey(source);
    const environment = new MockActivityEnvironment();
    const list: Store['list'] = async (kind, options) => {
      environment.cancel('TIMED_OUT');
      return await source.store.list(kind, options);
    };
    const { writeBackup } = source.createActivities({ store: { ...source.store, list } });
    await expect(environment.run(async () => await writeBackup({ backup }))).rejects.toThrow('TIMED_OUT');
    expect(await source.backups.list('backup-')).toEqual([]);
  });

  it('deletes the parts of backups that failed, and no archive that is complete', async () => {
    const source = await createInstallation();
    await createBackupKey(source);
    const states = {
      'backup-20260101080000-1a2b3c4d': { phase: 'Succeeded' as const, sha256: 'x' },
      'backup-20260101090000-1a2b3c4d': { phase: 'Failed' as const },
      'backup-20260101100000-1a2b3c4d': { phase: 'Failed' as const, sha256: 'x' },
    };
    const foreign = 'backup-20200101000000-ffffffff/000001.age';
    await source.backups.put(foreign, Buffer.from('of another installation'));
    for (const [name, patch] of Object.entries(states)) {
      await source.run(async ({ openBackup, recordBackup }) => {
        await openBackup({ backup: name, startedBy: 'root@example.com', at });
        await recordBackup({ backup: name, patch });
      });
      await source.backups.put(`${name}/000001.age`, Buffer.from('x'));
    }
    await source.run(async ({ openBackup, writeBackup }) => {
      await openBackup({ backup, startedBy: 'root@example.com', at });
      await writeBackup({ backup });
    });
    expect(await source.backups.list('')).toEqual([
      foreign,
      'backup-20260101080000-1a2b3c4d/000001.age',
      'backup-20260101100000-1a2b3c4d/000001.age',
      `${backup}/000001.age`,
    ]);
  });

  it('requires a recovery key', async () => {
    const source = await createInstallation();
    await expect(source.run(async ({ writeBackup }) => await writeBackup({ backup }))).rejects.toMatchObject({
      reason: 'backup-key-missing',
    });
  });

  it('refuses to write half of a restore', async () => {
    const { target, openRestore } = await backUp();
    await openRestore();
    const ref = { namespace: systemNamespace, name: restore };
    await target.store.updateStatus(RestoreKind, ref, () => ({ phase: 'Restoring' as const, startedAt: at }));
    await createBackupKey(target);
    await expect(target.run(async ({ writeBackup }) => await writeBackup({ backup }))).rejects.toMatchObject({
      reason: 'restore-in-progress',
    });
  });
});

describe('openBackup', () => {
  it('ends a backup that another process left behind', async () => {
    const { store, run } = await createInstallation();
    for (const name of ['backup-20260101110000-1a2b3c4d', backup])
      await run(async ({ openBackup }) => await openBackup({ backup: name, startedBy: 'root@example.com', at }));
    const phases = (await store.list(BackupKind)).items.map(({ status }) => status?.phase);
    expect(phases).toEqual(['Failed', 'Running']);
  });

  it('ends a backup that was created and never started', async () => {
    const { store, run } = await createInstallation();
    const metadata = { namespace: systemNamespace, name: 'backup-20260101110000-1a2b3c4d' };
    const created = await store.create(BackupKind, { metadata, spec: { startedBy: 'root@example.com' } });
    await run(async ({ openBackup }) => await openBackup({ backup, startedBy: 'root@example.com', at }));
    const { status } = await store.get(BackupKind, metadata);
    const startedAt = created.metadata.creationTimestamp;
    const failure = expect.objectContaining({ message: 'The workflow of the backup was lost.' });
    expect(status).toEqual({ phase: 'Failed', startedAt, finishedAt: at, failure });
  });
});

describe('recordBackup', () => {
  it('records nothing of a backup that was not opened, and keeps the start of one that is opened again', async () => {
    const { store, run } = await createInstallation();
    const metadata = { namespace: systemNamespace, name: backup };
    await store.create(BackupKind, { metadata, spec: { startedBy: 'root@example.com' } });
    const readStatus = async () => (await store.get(BackupKind, metadata)).status;
    await run(async ({ recordBackup }) => await recordBackup({ backup, patch: { phase: 'Succeeded' } }));
    expect(await readStatus()).toBeUndefined();
    for (const startedAt of [at, '2026-01-02T12:00:00.000Z'])
      await run(async ({ openBackup }) => await openBackup({ backup, startedBy: 'root@example.com', at: startedAt }));
    expect(await readStatus()).toEqual({ phase: 'Running', startedAt: at });
    await run(async ({ recordBackup }) => await recordBackup({ backup, patch: { phase: 'Succeeded' } }));
    await run(async ({ openBackup }) => await openBackup({ backup: 'other', startedBy: 'root@example.com', at }));
    expect(await readStatus()).toEqual({ phase: 'Succeeded', startedAt: at });
  });
});
