import { z } from 'zod';
import { Failure } from '../changes/kinds.ts';
import { Conditions } from '../conditions.ts';
import { Timestamp } from '../names.ts';
import { defineResource, type ResourceOf, systemNamespace } from '../resource.ts';

/** The name of a backup is also the folder of its archive in the destination. */
export const BackupName = z
  .string()
  .regex(/^backup-\d{14}-[0-9a-f]{8}$/, 'must be the name of a backup, such as backup-20260101120000-1a2b3c4d');

const startedBy = z.string().describe('E-mail address of the person who started it.');

const Counts = z.object({
  resources: z.int().describe('Number of resources, Secrets and other objects.'),
  blobs: z.int().describe('Number of large files, such as transcripts.'),
});
export type Counts = z.infer<typeof Counts>;

export const BackupStatus = z.object({
  phase: z.enum(['Running', 'Succeeded', 'Failed']).describe('Phase of the backup.'),
  startedAt: Timestamp.describe('Time at which the backup started.'),
  finishedAt: Timestamp.optional().describe('Time at which the backup finished.'),
  progress: Counts.optional().describe('What the archive contains so far.'),
  bytes: z.int().optional().describe('Size of the encrypted archive in bytes.'),
  parts: z.int().optional().describe('Number of files that the archive consists of.'),
  sha256: z.string().optional().describe('SHA-256 of the encrypted archive.'),
  key: z.string().optional().describe('Public part of the recovery key that decrypts the archive.'),
  failure: Failure.optional().describe('Failure that ended the backup.'),
  conditions: Conditions,
});
export type BackupStatus = z.infer<typeof BackupStatus>;

/** One encrypted archive of the installation in the destination of backups. */
export const BackupKind = defineResource({
  kind: 'Backup',
  plural: 'backups',
  spec: z.strictObject({ startedBy }),
  status: BackupStatus,
  crd: {
    printerColumns: [
      { name: 'Phase', path: '.status.phase' },
      { name: 'Resources', path: '.status.progress.resources', type: 'integer' },
      { name: 'Bytes', path: '.status.bytes', type: 'integer' },
      { name: 'Finished', path: '.status.finishedAt', type: 'date' },
      { name: 'Failure', path: '.status.failure.message', wide: true },
    ],
    validations: [{ rule: 'self == oldSelf', message: 'spec is immutable; start another backup' }],
  },
});
export type Backup = ResourceOf<typeof BackupKind>;

export const restorePhases = ['Checking', 'Ready', 'Restoring', 'Restarting', 'Succeeded', 'Failed'] as const;

export const RestorePlan = z.object({
  digest: z.string().describe('Digest of the plan. Send it to `startRestore` to start exactly this restore.'),
  createdAt: Timestamp.describe('Time of the state that the archive contains.'),
  version: z.string().describe('Version of the service that wrote the archive.'),
  contents: Counts.describe('What the archive contains.'),
  orgs: z.array(z.string()).describe('Orgs that the archive contains.'),
  existing: z.int().describe('Number of resources that exist already and stay as they are.'),
});
export type RestorePlan = z.infer<typeof RestorePlan>;

export const RestoreStatus = z.object({
  phase: z
    .enum(restorePhases)
    .describe('Phase of the restore. In `Ready` it waits for `startRestore`; nothing has been written before.'),
  startedAt: Timestamp.describe('Time at which the check started.'),
  finishedAt: Timestamp.optional().describe('Time at which the restore finished.'),
  plan: RestorePlan.optional().describe('What the restore does; absent until the check is complete.'),
  /** Each part is compared with its digest again before any of it is restored. */
  partDigests: z.array(z.string()).optional().describe('SHA-256 of each file of the archive.'),
  conflicts: z
    .array(z.string())
    .optional()
    .describe('Resources that are in the way, because others have their names. At most 50 are listed.'),
  progress: Counts.optional().describe('What has been restored so far.'),
  restarted: z.int().optional().describe('Number of workflows that continue the work of the archive.'),
  confirmed: z
    .object({
      by: z.string().describe('E-mail address of the person.'),
      digest: z.string().describe('Digest of the plan that the person saw.'),
      at: Timestamp.describe('Time of the confirmation.'),
    })
    .optional()
    .describe('Confirmation of the plan; absent before it.'),
  failure: Failure.optional().describe('Failure that ended the restore.'),
  conditions: Conditions,
});
export type RestoreStatus = z.infer<typeof RestoreStatus>;

/** One restore of an archive into this installation. */
export const RestoreKind = defineResource({
  kind: 'Restore',
  plural: 'restores',
  spec: z.strictObject({ startedBy, backup: BackupName.describe('Backup whose archive is restored.') }),
  status: RestoreStatus,
  crd: {
    printerColumns: [
      { name: 'Backup', path: '.spec.backup' },
      { name: 'Phase', path: '.status.phase' },
      { name: 'Resources', path: '.status.progress.resources', type: 'integer' },
      { name: 'Finished', path: '.status.finishedAt', type: 'date' },
      { name: 'Failure', path: '.status.failure.message', wide: true },
    ],
    validations: [{ rule: 'self == oldSelf', message: 'spec is immutable; start another restore' }],
  },
});
export type Restore = ResourceOf<typeof RestoreKind>;

/** Returns whether the restore writes resources, so that no request may change any. */
export const isRestoring = ({ status }: Restore): boolean =>
  status?.phase === 'Restoring' || status?.phase === 'Restarting';

export const isFinished = ({ phase }: BackupStatus | RestoreStatus): boolean =>
  phase === 'Succeeded' || phase === 'Failed';
export const isOpen = ({ status }: Backup | Restore): boolean => status === undefined || !isFinished(status);

/**
 * Holds what encrypts and seals archives: `recipient`, which cannot decrypt them, and `seal`. The recovery key that
 * both are derived from is nowhere in the installation.
 */
export const backupKeySecret = { namespace: systemNamespace, name: 'service-backup' } as const;

/** The ConfigMap with the settings of backups. */
export const backupSettingsRef = { namespace: systemNamespace, name: 'service-backup-settings' } as const;

/** A Secret holds the recovery key of a restore until the restore ends. */
export const toRestoreSecretRef = (restore: string): { namespace: string; name: string } => ({
  namespace: systemNamespace,
  name: `service-${restore}`,
});
