import { type Backup, BackupKind, type BackupStatus, isOpen, type Restore, type RestoreStatus } from './kinds.ts';

/** Returns the status of a backup or restore whose workflow was lost or never started, or undefined if it has finished. */
export function toLostStatus(lost: Backup, at: string): BackupStatus | undefined;
export function toLostStatus(lost: Restore, at: string): RestoreStatus | undefined;
export function toLostStatus(lost: Backup | Restore, at: string): BackupStatus | RestoreStatus | undefined {
  if (!isOpen(lost)) return undefined;
  const { kind, metadata, status } = lost;
  const isBackup = kind === BackupKind.kind;
  return {
    startedAt: metadata.creationTimestamp,
    finishedAt: at,
    failure: {
      reason: 'cancelled',
      message: `The workflow of the ${isBackup ? 'backup' : 'restore'} was lost.`,
      resource: `${kind} ${metadata.name}`,
      fix: isBackup
        ? 'Start another backup.'
        : 'Start another restore of the archive: it continues where this one stopped.',
      at,
    },
    ...status,
    phase: 'Failed',
  };
}
