import type { ApiDeps, App } from '../deps.ts';
import { createBackup } from './create-backup.ts';
import { createRestore } from './create-restore.ts';
import { getBackupSettings } from './get-backup-settings.ts';
import { getBackup } from './get-backup.ts';
import { getRestore } from './get-restore.ts';
import { listArchives } from './list-archives.ts';
import { listBackups } from './list-backups.ts';
import { listRestores } from './list-restores.ts';
import { putBackupKey } from './put-backup-key.ts';
import { putBackupSettings } from './put-backup-settings.ts';
import { startRestore } from './start-restore.ts';

export function backups(app: App, deps: ApiDeps): void {
  getBackupSettings(app, deps);
  putBackupSettings(app, deps);
  putBackupKey(app, deps);
  listBackups(app);
  createBackup(app, deps);
  getBackup(app, deps);
  listArchives(app, deps);
  listRestores(app);
  createRestore(app, deps);
  getRestore(app, deps);
  startRestore(app, deps);
}
