import { describe, expect, it } from 'vitest';
import { BackupKind } from '../../../src/rules/backups/kinds.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import { createInstallation, restore } from './backup-fixture.ts';

describe('deleteExpiredBackups', () => {
  it('keeps the archive that a restore still has to read', async () => {
    const { store, backups, run, openRestore } = await createInstallation();
    const names = Array.from({ length: 16 }, (_, day) => `backup-202601${String(day + 10)}000000-1a2b3c4d`);
    for (const [day, name] of names.entries()) {
      const startedAt = `2026-01-${day + 10}T00:00:00.000Z`;
      await store.create(BackupKind, {
        metadata: { namespace: systemNamespace, name },
        spec: { startedBy: 'root@example.com' },
      });
      await store.updateStatus(BackupKind, { namespace: systemNamespace, name }, () => ({
        phase: 'Succeeded' as const,
        startedAt,
      }));
      await backups.put(`${name}/000001.age`, Buffer.from('x'));
    }
    await openRestore(restore, 'x', names[0]);
    await run(async ({ deleteExpiredBackups }) => await deleteExpiredBackups());
    const kept = names.filter((name) => name !== names[1]);
    expect(await backups.list('')).toEqual(kept.map((name) => `${name}/000001.age`));
  });

  it('keeps the archive of a restore that begins while another archive is deleted', async () => {
    const { store, backups, run, openRestore, createActivities } = await createInstallation();
    const names = Array.from({ length: 16 }, (_, day) => `backup-202601${String(day + 10)}000000-1a2b3c4d`);
    for (const [day, name] of names.entries()) {
      const ref = { namespace: systemNamespace, name };
      const startedAt = `2026-01-${day + 10}T00:00:00.000Z`;
      await store.create(BackupKind, { metadata: ref, spec: { startedBy: 'root@example.com' } });
      await store.updateStatus(BackupKind, ref, () => ({ phase: 'Succeeded' as const, startedAt }));
    }
    const deleted: string[] = [];
    const deletePrefix = async (prefix: string): Promise<void> => {
      const [, , ...kept] = names;
      const other = names.find((name) => !kept.includes(name) && `${name}/` !== prefix);
      if (deleted.length === 0) await openRestore(restore, 'x', other);
      deleted.push(prefix);
    };
    const { deleteExpiredBackups } = createActivities({ backups: { ...backups, deletePrefix } });
    await run(async () => await deleteExpiredBackups());
    expect(deleted).toHaveLength(1);
    expect((await store.list(BackupKind)).items).toHaveLength(15);
  });

  it('deletes the archives of old backups of this installation, and no others', async () => {
    const { store, backups, run } = await createInstallation();
    const names = Array.from({ length: 16 }, (_, day) => `backup-202601${String(day + 10)}000000-1a2b3c4d`);
    for (const [day, name] of names.entries()) {
      const startedAt = `2026-01-${day + 10}T00:00:00.000Z`;
      await run(async ({ openBackup, recordBackup }) => {
        await openBackup({ backup: name, startedBy: 'root@example.com', at: startedAt });
        await recordBackup({ backup: name, patch: { phase: 'Succeeded' } });
      });
      await backups.put(`${name}/000001.age`, Buffer.from('x'));
    }
    const foreign = 'backup-20200101000000-ffffffff/000001.age';
    await backups.put(foreign, Buffer.from('of another installation'));
    await backups.put('notes', Buffer.from('of a person'));
    await run(async ({ deleteExpiredBackups }) => await deleteExpiredBackups());
    const kept = names.slice(2);
    expect((await store.list(BackupKind)).items.map(({ metadata }) => metadata.name)).toEqual(kept);
    expect(await backups.list('')).toEqual([foreign, ...kept.map((name) => `${name}/000001.age`), 'notes']);
  });
});
