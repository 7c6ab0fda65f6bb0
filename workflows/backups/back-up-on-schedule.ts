import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { executeChild, ParentClosePolicy, uuid4, workflowInfo } from '@temporalio/workflow';
import { scheduleStarter } from '../../src/rules/changes/run-names.ts';
import { toBackupName } from '../../src/rules/backups/to-backup-name.ts';
import { toChildOptions } from '../workflow-start.ts';
import { backUpStart } from './messages.ts';

/**
 * Starts a backup and waits for it, so that the schedule skips its next time while the backup runs. Starts none while
 * a person's backup is in progress.
 */
export async function backUpOnSchedule(): Promise<void> {
  const backup = toBackupName(workflowInfo().startTime, uuid4());
  const { type, options } = backUpStart({ backup, startedBy: scheduleStarter });
  try {
    await executeChild(type, {
      ...toChildOptions({ type, options }),
      parentClosePolicy: ParentClosePolicy.ABANDON,
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
