import { isServiceError } from '../errors.ts';
import { applyingSinceAnnotation } from '../rules/conditions.ts';
import type { Kind, StoredObject } from '../rules/resource.ts';
import type { Store } from '../store/store.ts';

const maxAttempts = 5;

/** The annotation to write with a spec from which something follows, so that another process continues when this one ends. */
export const applyingMark = (now: Date): Record<string, string> => ({ [applyingSinceAnnotation]: now.toISOString() });

type Applying<T extends StoredObject> = {
  kind: Kind<T>;
  object: T;
  /**
   * The mark of a request that does only what follows from its own change. The mark of an earlier one stays, because what
   * that one has left is still to be done.
   */
  mark?: Record<string, string>;
  follow: () => Promise<void>;
};

/**
 * Does what follows from the accepted spec of an object, and removes the mark that was written with the spec. Returns the
 * object in its latest version, unless its spec has changed since.
 */
export async function finishApplying<T extends StoredObject>(
  store: Store,
  { kind, object, mark: own, follow }: Applying<T>,
): Promise<T> {
  await follow();
  const { uid, generation, annotations } = object.metadata;
  const since = (own ?? annotations)?.[applyingSinceAnnotation];
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const current = await store.find(kind, object.metadata);
    if (current?.metadata.uid !== uid || current.metadata.generation !== generation) break;
    const { [applyingSinceAnnotation]: mark, ...others } = current.metadata.annotations ?? {};
    if (mark === undefined || mark !== since) return current;
    const unmarked = { ...current, metadata: { ...current.metadata, annotations: others } };
    const replaced = await store.replace(kind, unmarked).catch(ignoreConflict);
    if (replaced) return replaced;
  }
  return object;
}

/** Another write has changed the object, or deleted it. */
function ignoreConflict(error: unknown): undefined {
  if (!isServiceError(error, 'conflict') && !isServiceError(error, 'not-found')) throw error;
}
