import { z } from '@hono/zod-openapi';
import { type Backup, BackupName, BackupStatus, type Restore, RestoreStatus } from '../../src/rules/backups/kinds.ts';
import { Timestamp } from '../../src/rules/names.ts';
import { BackupSettings } from '../../src/rules/backups/settings.ts';
import { ActionView } from '../http/views.ts';

const startedBy = z.string().describe('E-mail address of the person who started it.');

export const BackupView = z
  .object({
    name: z.string().describe('Name of the backup, which is also the folder of its archive.'),
    startedBy,
    status: BackupStatus.omit({ conditions: true }).describe('State of the backup.'),
  })
  .openapi('Backup');

export function toBackupView({ metadata, spec, status }: Backup): z.infer<typeof BackupView> {
  const initial: BackupStatus = { phase: 'Running', startedAt: metadata.creationTimestamp };
  const { conditions: _, ...state } = status ?? initial;
  return { name: metadata.name, startedBy: spec.startedBy, status: state };
}

export const RestoreView = z
  .object({
    name: z.string().describe('Name of the restore.'),
    backup: z.string().describe('Backup whose archive is restored.'),
    startedBy,
    status: RestoreStatus.omit({ conditions: true, partDigests: true }).describe('State of the restore.'),
  })
  .openapi('Restore');

export function toRestoreView({ metadata, spec, status }: Restore): z.infer<typeof RestoreView> {
  const initial: RestoreStatus = { phase: 'Checking', startedAt: metadata.creationTimestamp };
  const { conditions: _, partDigests: __, ...state } = status ?? initial;
  return { name: metadata.name, backup: spec.backup, startedBy: spec.startedBy, status: state };
}

export const BackupParams = z.object({
  backup: z.string().max(200).describe('Name of the backup.').openapi({ example: 'backup-20260101120000-1a2b3c4d' }),
});
export const RestoreParams = z.object({
  restore: z.string().max(200).describe('Name of the restore.').openapi({ example: 'restore-1a2b3c4d' }),
});

export const RestoreBody = z
  .strictObject({
    backup: BackupName.describe('Backup to restore: a folder of the destination.'),
    recoveryKey: z
      .string()
      .min(1)
      .max(500)
      .describe('The recovery key that was shown when it was created. It is deleted when the restore ends.'),
  })
  .openapi('RestoreBody');

export const BackupSettingsView = BackupSettings.extend({
  destination: z.string().describe('Bucket or directory that the archives are written to.'),
  nextTimes: z
    .array(Timestamp)
    .optional()
    .describe('Next times at which backups start; absent without a schedule, and empty while it is paused.'),
  resourceVersion: z
    .string()
    .optional()
    .describe('Version of the settings, for `If-Match`; absent until they are saved.'),
  key: z.string().optional().describe('Public part of the recovery key; absent before one was created.'),
  actions: z.array(ActionView).describe('Operations on backups, with whether the caller can perform them now.'),
}).openapi('BackupSettings');
