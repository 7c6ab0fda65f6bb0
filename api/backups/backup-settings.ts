import type { z } from '@hono/zod-openapi';
import { ConfigMapKind, readSecretText, SecretKind } from '../../src/kinds/kubernetes.ts';
import { listNextBackupTimes } from '../../src/reconcile/apply-backup-schedule.ts';
import { backupKeySecret, backupSettingsRef } from '../../src/rules/backups/kinds.ts';
import { readBackupSettings } from '../../src/rules/backups/settings.ts';
import type { ApiDeps } from '../deps.ts';
import type { BackupSettingsView } from './schemas.ts';

type Deps = Pick<ApiDeps, 'store' | 'temporal'>;

const nextTimesShown = 5;

export const findBackupKey = async ({ store }: Pick<Deps, 'store'>): Promise<string | undefined> =>
  readSecretText(await store.find(SecretKind, backupKeySecret), 'recipient');

export async function readSettingsView({ store, temporal }: Deps): Promise<z.infer<typeof BackupSettingsView>> {
  const settings = readBackupSettings(await store.find(ConfigMapKind, backupSettingsRef));
  const key = await findBackupKey({ store });
  const times = settings.schedule && (await listNextBackupTimes(temporal));
  return {
    ...settings,
    ...(times && { nextTimes: times.slice(0, nextTimesShown).map((time) => time.toISOString()) }),
    ...(key !== undefined && { key }),
  };
}
