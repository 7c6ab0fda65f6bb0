import { type Backup, isOpen, type Restore } from './kinds.ts';
import type { BackupSettings } from './settings.ts';

/**
 * Lists the backups that are no longer kept. A failed backup is kept while it is newer than a successful one that is
 * kept, so that people see the failure; and one that a restore still has to read, so that it can be completed.
 */
export function findExpiredBackups(
  backups: readonly Backup[],
  restores: readonly Restore[],
  { keepLast }: BackupSettings,
): Backup[] {
  const finished = backups.filter((backup) => !isOpen(backup));
  const newestFirst = sortNewestFirst(finished);
  const oldestKept = newestFirst.filter(({ status }) => status?.phase === 'Succeeded')[keepLast - 1];
  if (!oldestKept) return [];
  const needed = findIncompletelyRestored(restores);
  return newestFirst.slice(newestFirst.indexOf(oldestKept) + 1).filter(({ metadata }) => !needed.has(metadata.name));
}

/**
 * Finds the backups whose latest restore has not succeeded. One that failed before its confirmation, such as with a wrong
 * key, has written nothing and completes no earlier one.
 */
function findIncompletelyRestored(restores: readonly Restore[]): Set<string> {
  const writing = restores.filter(({ status }) => status?.phase !== 'Failed' || status.confirmed !== undefined);
  const byBackup = Map.groupBy(sortNewestFirst(writing), ({ spec }) => spec.backup);
  return new Set(
    [...byBackup].filter(([, [latest]]) => latest?.status?.phase !== 'Succeeded').map(([backup]) => backup),
  );
}

const sortNewestFirst = <T extends Backup | Restore>(objects: readonly T[]): T[] => {
  const startedAt = ({ status, metadata }: T): string => status?.startedAt ?? metadata.creationTimestamp;
  return objects.toSorted((one, other) => startedAt(other).localeCompare(startedAt(one)));
};
