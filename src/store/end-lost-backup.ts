import { ignoreNotFound } from '../errors.ts';
import { type Backup, BackupKind } from '../rules/backups/kinds.ts';
import { toLostStatus } from '../rules/backups/to-lost-status.ts';
import type { Store } from './store.ts';

/** Fails a backup whose workflow was lost. The result of a finished backup stays. */
export async function endLostBackup(store: Store, { metadata }: Backup, at: string): Promise<void> {
  await store.updateStatus(BackupKind, metadata, (current) => toLostStatus(current, at)).catch(ignoreNotFound);
}
