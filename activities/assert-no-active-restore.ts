import { ServiceError } from '../src/errors.ts';
import { findActiveRestore } from '../src/store/find-active-restore.ts';
import type { Store } from '../src/store/store.ts';

/**
 * Throws while a restore writes, so that the activity is retried until the restore has ended. What is missing until then
 * must not be taken for deleted, and an object that is written before it is restored keeps nothing of the archive.
 */
export async function assertNoActiveRestore(store: Pick<Store, 'list'>): Promise<void> {
  const restore = await findActiveRestore(store);
  if (restore)
    throw new ServiceError(
      'unavailable',
      `The restore "${restore.metadata.name}" is in progress. The activity is retried until it has ended.`,
    );
}
