import { isServiceError } from '../errors.ts';
import type { Kind, StoredObject } from '../rules/resource.ts';
import type { Store } from './store.ts';

/** Deletes an object that was read, unless it was changed or deleted since. */
export async function deleteUnlessChanged<T extends StoredObject>(
  store: Store,
  kind: Kind<T>,
  { metadata }: T,
): Promise<void> {
  await store.delete(kind, metadata, { resourceVersion: metadata.resourceVersion }).catch((error: unknown) => {
    if (!isServiceError(error, 'conflict') && !isServiceError(error, 'not-found')) throw error;
  });
}
