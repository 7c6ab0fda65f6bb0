import { toApplicationFailure } from '../failures.ts';
import { timestamp } from '../timestamp.ts';
import type { BackUpInput } from './messages.ts';
import { proxyArchiveActivities } from './proxy-archive-activities.ts';

/** Writes one archive of the installation, then deletes those that are no longer kept. */
export async function backUp(input: BackUpInput): Promise<void> {
  const { backup } = input;
  const { records, archives } = proxyArchiveActivities();
  const { openBackup, recordBackup } = records;
  const { deleteExpiredBackups, writeBackup } = archives;
  await openBackup({ ...input, at: timestamp() });
  try {
    await writeBackup({ backup });
  } catch (error) {
    const failure = {
      reason: 'activity-failed' as const,
      message: toApplicationFailure(error).message,
      resource: `Backup ${backup}`,
      fix: 'Fix the error above, then start another backup.',
      at: timestamp(),
    };
    return await recordBackup({ backup, patch: { phase: 'Failed', finishedAt: timestamp(), failure } });
  }
  await recordBackup({ backup, patch: { phase: 'Succeeded', finishedAt: timestamp() } });
  await deleteExpiredBackups();
}
