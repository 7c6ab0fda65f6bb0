import { isServiceError } from '../src/errors.ts';
import type { Kind, StoredObject } from '../src/rules/resource.ts';
import type { New, Store } from '../src/store/store.ts';

/** Creates an object whose name says what it is for, or takes the one that an earlier attempt created. */
export async function createOrGet<T extends StoredObject>(store: Store, kind: Kind<T>, object: New<T>): Promise<T> {
  try {
    return await store.create(kind, object);
  } catch (error) {
    if (!isServiceError(error, 'conflict')) throw error;
    return await store.get(kind, object.metadata);
  }
}
