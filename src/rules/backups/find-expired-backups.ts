import type { Backup } from './kinds.ts';
import type { BackupSettings } from './settings.ts';

/**
 * Lists the backups that are no longer kept. A failed backup is kept while it is newer than a successful one that is
 * kept, so that people see the failure.
 */
export function findExpiredBackups(backups: readonly Backup[], { keepLast }: BackupSettings): Backup[] {
  const finished = backups.filter(({ status }) => status && status.phase !== 'Running');
  const startedAt = ({ status }: Backup): string => status?.startedAt ?? '';
  const newestFirst = finished.toSorted((one, other) => startedAt(other).localeCompare(startedAt(one)));
  const oldestKept = newestFirst.filter(({ status }) => status?.phase === 'Succeeded')[keepLast - 1];
  return oldestKept ? newestFirst.slice(newestFirst.indexOf(oldestKept) + 1) : [];
}
