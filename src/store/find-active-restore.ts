import { isRestoring, type Restore, RestoreKind } from '../rules/backups/kinds.ts';
import { systemNamespace } from '../rules/resource.ts';
import type { Store } from './store.ts';

/** Returns the restore that writes resources at this moment, so that the installation is not complete. */
export async function findActiveRestore(store: Pick<Store, 'list'>): Promise<Restore | undefined> {
  const { items } = await store.list(RestoreKind, { namespace: systemNamespace });
  return items.find(isRestoring);
}
