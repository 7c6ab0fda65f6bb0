import { isServiceError } from '../src/errors.ts';
import type { Kind, StoredObject } from '../src/rules/resource.ts';
import type { NewObject, Store } from '../src/store/store.ts';

/** Creates an object, or returns the one of the same name that an earlier attempt created. */
export async function getOrCreate<T extends StoredObject>(
  store: Pick<Store, 'create' | 'get'>,
  kind: Kind<T>,
  object: NewObject<T>,
): Promise<T> {
  try {
    return await store.create(kind, object);
  } catch (error) {
    if (!isServiceError(error, 'conflict')) throw error;
    return await store.get(kind, object.metadata);
  }
}
