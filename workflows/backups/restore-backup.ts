import { condition, ContinueAsNew, setHandler } from '@temporalio/workflow';
import type { Failure } from '../../src/rules/changes/kinds.ts';
import { toApplicationFailure } from '../failures.ts';
import { timestamp } from '../timestamp.ts';
import { type RestoreBackupInput, restoreConfirmedSignal } from './messages.ts';
import { proxyArchiveActivities } from './proxy-archive-activities.ts';
import { restartOpenWork } from './restart-open-work.ts';

const confirmationTimeoutMs = 60 * 60_000;

/**
 * Restores an archive that a person has chosen, after they have seen what it would do.
 *
 *   check ─► conflicts: Failed
 *     └────► Ready ─► confirmed ─► restore what is missing ─► restart the open workflows ─► Succeeded
 *               └───► not confirmed in time: Failed
 *
 * A restore that fails after its confirmation has written some resources; another restore of the archive continues.
 */
export async function restoreBackup(input: RestoreBackupInput): Promise<void> {
  const { restore } = input;
  const { records, archives } = proxyArchiveActivities();
  const { beginRestore, deleteRecoveryKey, recordRestore } = records;
  const { checkArchive, restoreArchive } = archives;
  let isConfirmed = false;
  setHandler(restoreConfirmedSignal, () => void (isConfirmed = true));
  const fail = async (failure: Pick<Failure, 'reason' | 'message' | 'fix'>): Promise<void> => {
    const at = timestamp();
    await deleteRecoveryKey({ restore });
    const patch = { failure: { ...failure, resource: `Restore ${restore}`, at }, finishedAt: at };
    await recordRestore({ restore, patch: { phase: 'Failed', ...patch } });
  };
  try {
    if (!input.restart) {
      const { conflicts } = await checkArchive({ restore });
      if (conflicts > 0)
        return await fail({
          reason: 'restore-conflict',
          message: `Resources of the archive that have the name of another that exists: ${conflicts}. Nothing was written.`,
          fix: 'Delete the resources in `status.conflicts`, or restore into an empty installation.',
        });
      await recordRestore({ restore, patch: { phase: 'Ready' } });
      await condition(() => isConfirmed, input.confirmationTimeoutMs ?? confirmationTimeoutMs);
      if (!(await beginRestore({ restore })))
        return await fail({
          reason: 'cancelled',
          message: 'The plan was not confirmed in time. Nothing was written.',
          fix: 'Start another restore.',
        });
      await restoreArchive({ restore });
      await deleteRecoveryKey({ restore });
      await recordRestore({ restore, patch: { phase: 'Restarting' } });
    }
    const restarted = await restartOpenWork(input);
    await recordRestore({ restore, patch: { phase: 'Succeeded', restarted, finishedAt: timestamp() } });
  } catch (error) {
    if (error instanceof ContinueAsNew) throw error;
    const { message, type } = toApplicationFailure(error);
    const isRefused = type === 'archive-refused' || type === 'recovery-key-wrong' || type === 'not-found';
    await fail({
      reason: isRefused ? 'archive-refused' : 'activity-failed',
      message,
      fix: 'Fix the error above, then start another restore: it continues where this one stopped.',
    });
  }
}
