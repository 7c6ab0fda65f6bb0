import type { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { ConfigMapKind, readSecretText, SecretKind } from '../../src/kinds/kubernetes.ts';
import { listNextBackupTimes } from '../../src/reconcile/apply-backup-schedule.ts';
import { backupKeySecret, backupSettingsRef } from '../../src/rules/backups/kinds.ts';
import { readBackupSettings } from '../../src/rules/backups/settings.ts';
import { passwordSessionViolation } from '../auth/assert-credential.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { setETag } from '../http/preconditions.ts';
import type { BackupSettingsView } from './schemas.ts';

type Deps = Pick<ApiDeps, 'store' | 'temporal' | 'config'>;

const nextTimesShown = 5;

export const findBackupKey = async ({ store }: Pick<Deps, 'store'>): Promise<string | undefined> =>
  readSecretText(await store.find(SecretKind, backupKeySecret), 'recipient');

/** Returns the settings as they are now, whose version is the response's ETag. */
export async function respondSettings(
  c: Context<ApiEnv>,
  { store, temporal, config }: Deps,
): Promise<z.infer<typeof BackupSettingsView>> {
  const stored = await store.find(ConfigMapKind, backupSettingsRef);
  const settings = readBackupSettings(stored);
  if (stored) setETag(c, stored.metadata.resourceVersion);
  const key = await findBackupKey({ store });
  const times = settings.schedule && (await listNextBackupTimes(temporal));
  return {
    ...settings,
    destination: config.backupDestination,
    ...(times && { nextTimes: times.slice(0, nextTimesShown).map((time) => time.toISOString()) }),
    ...(stored && { resourceVersion: stored.metadata.resourceVersion }),
    ...(key !== undefined && { key }),
    actions: listActions(c),
  };
}

/** Only a platform admin reads the settings, so the session alone decides. */
function listActions(c: Context<ApiEnv>): z.infer<typeof BackupSettingsView>['actions'] {
  const message = passwordSessionViolation(c.get('credential'));
  return ['putBackupKey', 'putBackupSettings', 'createBackup', 'createRestore'].map((name) => ({
    name,
    allowed: message === undefined,
    ...(message !== undefined && { reason: 'role-insufficient' as const, message }),
  }));
}
