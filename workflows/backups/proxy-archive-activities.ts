import { patched, proxyActivities, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { archiveOptions, externalApiOptions, storeOptions } from '../activity-options.ts';
import { backupsTaskQueue } from '../task-queues.ts';

type Records = Pick<Activities, 'beginRestore' | 'deleteRecoveryKey' | 'openBackup' | 'recordBackup' | 'recordRestore'>;
type Archives = Pick<Activities, 'checkArchive' | 'deleteExpiredBackups' | 'restoreArchive' | 'writeBackup'>;

/** Returns the activities on backups, their keys and archives, which only workers of the backups queue may run. */
export function proxyArchiveActivities(): { records: Records; archives: Archives } {
  const queue = { taskQueue: backupsTaskQueue(workflowInfo().taskQueue) };
  // Workflows that began before the queue existed continue on every worker.
  const hasQueue = patched('backups-queue');
  const records: Records = hasQueue
    ? proxyActivities<Records>({ ...externalApiOptions, ...queue })
    : proxyLocalActivities<Records>(storeOptions);
  const archives: Archives = proxyActivities<Archives>({ ...archiveOptions, ...(hasQueue && queue) });
  return { records, archives };
}
