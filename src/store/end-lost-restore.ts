import { ignoreNotFound } from '../errors.ts';
import { SecretKind } from '../kinds/kubernetes.ts';
import { type Restore, RestoreKind, toRestoreSecretRef } from '../rules/backups/kinds.ts';
import { toLostStatus } from '../rules/backups/to-lost-status.ts';
import type { Store } from './store.ts';

/** Fails a restore whose workflow was lost, and deletes its recovery key. The result of a finished restore stays. */
export async function endLostRestore(store: Store, { metadata }: Restore, at: string): Promise<void> {
  await store.delete(SecretKind, toRestoreSecretRef(metadata.name)).catch(ignoreNotFound);
  await store.updateStatus(RestoreKind, metadata, (current) => toLostStatus(current, at)).catch(ignoreNotFound);
}
