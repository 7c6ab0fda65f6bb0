import type { z } from '@hono/zod-openapi';
import { ConfigMapKind, readSecretText, SecretKind } from '../../src/kinds/kubernetes.ts';
import { backupKeySecret, backupSettingsRef } from '../../src/rules/backups/kinds.ts';
import { readBackupSettings } from '../../src/rules/backups/settings.ts';
import type { ApiDeps } from '../deps.ts';
import type { BackupSettingsView } from './schemas.ts';

export const findBackupKey = async ({ store }: Pick<ApiDeps, 'store'>): Promise<string | undefined> =>
  readSecretText(await store.find(SecretKind, backupKeySecret), 'recipient');

export async function readSettingsView(deps: Pick<ApiDeps, 'store'>): Promise<z.infer<typeof BackupSettingsView>> {
  const settings = readBackupSettings(await deps.store.find(ConfigMapKind, backupSettingsRef));
  const key = await findBackupKey(deps);
  return { ...settings, ...(key !== undefined && { key }) };
}
