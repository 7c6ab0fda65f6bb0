import { z } from 'zod';
import type { ConfigMap } from '../../kinds/kubernetes.ts';

export const BackupSettings = z.strictObject({
  keepLast: z
    .int()
    .min(1)
    .max(1000)
    .default(14)
    .describe('Number of successful backups that are kept; older ones are deleted with their archives.'),
});
export type BackupSettings = z.infer<typeof BackupSettings>;

const key = 'settings';

/** Returns the settings that were saved, or else the defaults. */
export const readBackupSettings = (stored: ConfigMap | undefined): BackupSettings =>
  BackupSettings.parse(JSON.parse(stored?.data?.[key] ?? '{}'));

export const toSettingsData = (settings: BackupSettings): Record<string, string> => ({
  [key]: JSON.stringify(settings),
});
