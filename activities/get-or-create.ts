import { isServiceError } from '../src/errors.ts';
import type { Kind, StoredObject } from '../src/rules/resource.ts';
import type { NewObject, Store } from '../src/store/store.ts';

/** An object that is deleted each time would otherwise keep the activity until its timeout. */
const attemptsMax = 5;

/** Creates an object, or returns the one of the same name that an earlier attempt created. */
export async function getOrCreate<T extends StoredObject>(
  store: Pick<Store, 'create' | 'get'>,
  kind: Kind<T>,
  object: NewObject<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await store.create(kind, object);
    } catch (error) {
      if (!isServiceError(error, 'conflict')) throw error;
    }
    try {
      return await store.get(kind, object.metadata);
    } catch (error) {
      // It was deleted in between.
      if (!isServiceError(error, 'not-found') || attempt === attemptsMax) throw error;
    }
  }
}
