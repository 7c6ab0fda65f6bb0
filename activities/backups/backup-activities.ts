import { Context } from '@temporalio/activity';
import { ignoreNotFound, ServiceError } from '../../src/errors.ts';
import { writeArchive } from '../../src/integrations/backups/write-archive.ts';
import type { ArchiveKeys } from '../../src/integrations/backups/recovery-key.ts';
import type { Blobs } from '../../src/integrations/blobs/blobs.ts';
import { ConfigMapKind, readSecretText, SecretKind } from '../../src/kinds/kubernetes.ts';
import {
  type Backup,
  BackupKind,
  type BackupStatus,
  type Counts,
  isOpen,
  RestoreKind,
} from '../../src/rules/backups/kinds.ts';
import { readBackupSettings } from '../../src/rules/backups/settings.ts';
import { backupKeySecret, backupSettingsRef } from '../../src/rules/backups/kinds.ts';
import { findExpiredBackups } from '../../src/rules/backups/find-expired-backups.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { endLostBackup } from '../../src/store/end-lost-backup.ts';
import { findActiveRestore } from '../../src/store/find-active-restore.ts';
import type { Store } from '../../src/store/store.ts';
import { updateOrCreate } from '../update-or-create.ts';
import { listArchiveEntries, takeSnapshot } from './list-archive-entries.ts';
import { partKey, partsPrefix } from './parts.ts';
import { createThrottle } from './throttle.ts';

export type BackupDeps = {
  store: Store;
  blobs: Blobs;
  /** The destination of the archives. */
  backups: Blobs;
  /** The version of the service, which the archive names. */
  version: string;
  now: () => Date;
};

type BackupRef = { backup: string };

export function createBackupActivities({ store, blobs, backups, version, now }: BackupDeps) {
  const toRef = ({ backup: name }: BackupRef) => ({ namespace: systemNamespace, name });
  const record = async (ref: BackupRef, patch: Partial<BackupStatus>): Promise<Backup> =>
    await store.updateStatus(BackupKind, toRef(ref), ({ status }) => status && { ...status, ...patch });

  const list = async () => (await store.list(BackupKind, { namespace: systemNamespace })).items;

  const listExpired = async (): Promise<Backup[]> => {
    const settings = readBackupSettings(await store.find(ConfigMapKind, backupSettingsRef));
    const { items: restores } = await store.list(RestoreKind, { namespace: systemNamespace });
    return findExpiredBackups(await list(), restores, settings);
  };

  /**
   * Deletes the parts of backups that failed before their end, which nothing can restore. Retention deletes none until a
   * backup succeeds, and they may be what fills the destination.
   */
  const deleteIncompleteArchives = async (): Promise<void> => {
    const keys = await backups.list('backup-');
    for (const { metadata, status } of await list()) {
      const prefix = partsPrefix({ backup: metadata.name });
      const isIncomplete = status?.phase === 'Failed' && status.sha256 === undefined;
      if (isIncomplete && keys.some((key) => key.startsWith(prefix))) await backups.deletePrefix(prefix);
    }
  };

  return {
    /** Opens the backup, and ends those that an earlier process left behind: there is one backup at a time. */
    openBackup: async ({ at, startedBy, ...ref }: BackupRef & { at: string; startedBy: string }): Promise<void> => {
      await updateOrCreate(store, BackupKind, { metadata: toRef(ref), spec: { startedBy } }, (status) => ({
        ...status,
        phase: 'Running' as const,
        startedAt: status?.startedAt ?? at,
      }));
      for (const other of await list())
        if (other.metadata.name !== ref.backup && isOpen(other)) await endLostBackup(store, other, at);
    },

    /** Writes the archive of a backup; a repetition replaces what an earlier attempt has written. */
    writeBackup: async (ref: BackupRef): Promise<void> => {
      const keys = await readArchiveKeys(store);
      await assertNotRestoring(store);
      await deleteIncompleteArchives();
      await backups.deletePrefix(partsPrefix(ref));
      const { cancellationSignal } = Context.current();
      const snapshot = await takeSnapshot(store);
      const counts: Counts = { resources: 0, blobs: 0 };
      const report = createThrottle(async () => void (await record(ref, { progress: { ...counts } })));
      const count = async (what: keyof Counts): Promise<void> => {
        counts[what] += 1;
        await report();
      };
      const manifest = { ...ref, createdAt: now().toISOString(), version, orgs: snapshot.orgs };
      const written = await writeArchive({
        keys,
        manifest,
        entries: listArchiveEntries({ store, blobs }, snapshot, count),
        putPart: async (number, bytes) => {
          // Another attempt may already write its own parts.
          cancellationSignal.throwIfAborted();
          await backups.put(partKey(ref, number), bytes);
        },
      });
      await record(ref, { ...written, progress: counts, key: keys.recipient });
    },

    recordBackup: async ({ patch, ...ref }: BackupRef & { patch: Partial<BackupStatus> }): Promise<void> => {
      await record(ref, patch);
    },

    /** Deletes the backups that the settings no longer keep, the archive first: without it, the resource is of no use. */
    deleteExpiredBackups: async (): Promise<void> => {
      // A restore may have been started while the archive before was deleted.
      for (let [expired] = await listExpired(); expired; [expired] = await listExpired()) {
        await backups.deletePrefix(partsPrefix({ backup: expired.metadata.name }));
        await store.delete(BackupKind, expired.metadata).catch(ignoreNotFound);
      }
    },
  };
}

/** A schedule does not know that the installation is only half restored. */
async function assertNotRestoring(store: Store): Promise<void> {
  if (await findActiveRestore(store))
    throw new ServiceError(
      'restore-in-progress',
      'A restore is in progress, so there is no complete state to back up.',
    );
}

async function readArchiveKeys(store: Store): Promise<ArchiveKeys> {
  const secret = await store.find(SecretKind, backupKeySecret);
  const [recipient, seal] = ['recipient', 'seal'].map((key) => readSecretText(secret, key));
  if (recipient === undefined || seal === undefined)
    throw new ServiceError('backup-key-missing', 'There is no key for backups. Create it in the settings of backups.');
  return { recipient, seal: Buffer.from(seal, 'base64') };
}
