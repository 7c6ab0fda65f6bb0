import { defineSignal } from '@temporalio/workflow';
import { startAttributes } from '../start-attributes.ts';
import { defaultTaskQueue } from '../task-queues.ts';
import type { WorkflowStart } from '../workflow-start.ts';

export type BackUpInput = { backup: string; startedBy: string };

/** The id allows one backup at a time. */
export const backUpId = 'back-up';
export const backUpStart = (input: BackUpInput): WorkflowStart<(input: BackUpInput) => Promise<void>> => ({
  type: 'backUp',
  options: {
    workflowId: backUpId,
    args: [input],
    taskQueue: defaultTaskQueue,
    workflowIdConflictPolicy: 'FAIL',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    ...startAttributes({ targetKind: 'backup' }),
    staticSummary: `Backup ${input.backup}`,
    staticDetails: `Started by ${input.startedBy}.`,
  },
});

/** The id of the Temporal Schedule of backups, which is the only one. */
export const backupScheduleId = 'back-up';

/** The server appends the time of the schedule to the id. */
export const backUpOnScheduleStart = (): WorkflowStart<() => Promise<void>> => ({
  type: 'backUpOnSchedule',
  options: {
    workflowId: 'back-up-on-schedule',
    args: [],
    taskQueue: defaultTaskQueue,
    workflowIdConflictPolicy: 'FAIL',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    ...startAttributes({ targetKind: 'backup' }),
    staticSummary: 'Backup on schedule',
    staticDetails: 'Started by the schedule in the settings of backups.',
  },
});

export type RestoreBackupInput = {
  restore: string;
  /** The time that a person has to confirm the plan. */
  confirmationTimeoutMs?: number;
  /** Carried over when the restart of workflows continues as new. */
  restart?: { orgs: string[]; restarted: number };
};

/** Announces that a person has confirmed the plan; the confirmation itself is in the store. */
export const restoreConfirmedSignal = defineSignal('restoreConfirmed');

/** The id allows one restore at a time. */
export const restoreBackupId = 'restore-backup';
export const restoreBackupStart = (
  input: RestoreBackupInput,
): WorkflowStart<(input: RestoreBackupInput) => Promise<void>> => ({
  type: 'restoreBackup',
  options: {
    workflowId: restoreBackupId,
    args: [input],
    taskQueue: defaultTaskQueue,
    workflowIdConflictPolicy: 'FAIL',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    ...startAttributes({ targetKind: 'restore' }),
    staticSummary: `Restore ${input.restore}`,
    staticDetails: 'Writes what a backup contains and the installation lacks.',
  },
});
