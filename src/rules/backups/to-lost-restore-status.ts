import { isRestoreOpen, type Restore, type RestoreStatus } from './kinds.ts';

/** Returns the status of a restore whose workflow was lost or never started, or undefined if the restore has finished. */
export function toLostRestoreStatus(restore: Restore, at: string): RestoreStatus | undefined {
  if (!isRestoreOpen(restore)) return undefined;
  const { metadata, status } = restore;
  return {
    startedAt: metadata.creationTimestamp,
    finishedAt: at,
    failure: {
      reason: 'cancelled',
      message: 'The workflow of the restore was lost.',
      resource: `Restore ${metadata.name}`,
      fix: 'Start another restore of the archive: it continues where this one stopped.',
      at,
    },
    ...status,
    phase: 'Failed',
  };
}
