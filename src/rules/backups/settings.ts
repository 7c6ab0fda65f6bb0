import { z } from 'zod';
import type { ConfigMap } from '../../kinds/kubernetes.ts';
import { cronViolation } from '../scheduling/cron-violation.ts';
import { isTimeZone } from '../scheduling/time-zone.ts';

export const BackupSchedule = z.strictObject({
  cron: z
    .string()
    .trim()
    .max(100)
    .superRefine((cron, context) => {
      const violation = cronViolation(cron);
      if (violation !== undefined) context.addIssue({ code: 'custom', message: violation });
    })
    .describe('Cron expression of five fields: minute, hour, day of month, month, day of week.'),
  timeZone: z
    .string()
    .trim()
    .refine(isTimeZone, 'must be an IANA time zone such as Europe/Berlin')
    .default('UTC')
    .describe('IANA time zone of the cron expression, such as `Europe/Berlin`.'),
  paused: z.boolean().default(false).describe('Whether no backups start until the schedule continues.'),
});
export type BackupSchedule = z.infer<typeof BackupSchedule>;

export const BackupSettings = z.strictObject({
  keepLast: z
    .int()
    .min(1)
    .max(1000)
    .default(14)
    .describe('Number of successful backups that are kept; older ones are deleted with their archives.'),
  schedule: z
    .strictObject(BackupSchedule.shape)
    .optional()
    .describe('Times at which backups start; without it, people start all backups.'),
});
export type BackupSettings = z.infer<typeof BackupSettings>;

const key = 'settings';
const scheduledAtKey = 'scheduledAt';

/** Returns the settings that were saved, or else the defaults. */
export const readBackupSettings = (stored: ConfigMap | undefined): BackupSettings =>
  BackupSettings.parse(JSON.parse(stored?.data?.[key] ?? '{}'));

/** Returns the time since which backups start at the times of the schedule; undefined without a schedule. */
export const readScheduledAt = (stored: ConfigMap | undefined): Date | undefined =>
  stored?.data?.[scheduledAtKey] === undefined ? undefined : new Date(stored.data[scheduledAtKey]);

/** Returns the data of the settings. A schedule that stays the same keeps the time since which it applies. */
export function toSettingsData(
  settings: BackupSettings,
  { stored, now }: { stored: ConfigMap | undefined; now: Date },
): Record<string, string> {
  const { schedule } = settings;
  const isUnchanged = JSON.stringify(readBackupSettings(stored).schedule) === JSON.stringify(schedule);
  const scheduledAt = (isUnchanged && readScheduledAt(stored)) || now;
  return {
    [key]: JSON.stringify(settings),
    ...(schedule && { [scheduledAtKey]: scheduledAt.toISOString() }),
  };
}
