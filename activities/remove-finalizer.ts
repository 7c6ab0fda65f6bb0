import { isServiceError } from '../src/errors.ts';
import type { Kind, StoredObject } from '../src/rules/resource.ts';
import type { Ref, Store } from '../src/store/store.ts';

/**
 * Removes the finalizer that has kept a deleted object until what depends on it was removed. An object of the same name
 * with another uid keeps its finalizer.
 */
export async function removeFinalizer<T extends StoredObject>(
  store: Store,
  kind: Kind<T>,
  { ref, uid, finalizer }: { ref: Ref; uid: string; finalizer: string },
): Promise<void> {
  for (;;) {
    const object = await store.find(kind, ref);
    if (object?.metadata.uid !== uid || !object.metadata.finalizers?.includes(finalizer)) return;
    const finalizers = object.metadata.finalizers.filter((name) => name !== finalizer);
    try {
      await store.replace(kind, { ...object, metadata: { ...object.metadata, finalizers } });
      return;
    } catch (error) {
      if (isServiceError(error, 'not-found')) return;
      if (!isServiceError(error, 'conflict')) throw error;
    }
  }
}
