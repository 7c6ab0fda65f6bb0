import { isDeleting, requestAnnotation, type Kind, type StoredObject } from '../../src/rules/resource.ts';
import type { NewObject, Store } from '../../src/store/store.ts';
import type { RequestIdentity } from '../temporal/idempotency.ts';

/**
 * Creates an object, or returns the one that an earlier attempt at the same request created before it was interrupted.
 * Throws `already-exists` when another request has created it.
 */
export async function createOnce<T extends StoredObject>(
  store: Store,
  { kind, identity }: { kind: Kind<T>; identity: RequestIdentity },
  object: NewObject<T>,
): Promise<T> {
  const { metadata } = object;
  const existing = await store.find(kind, metadata);
  if (existing && isCreatedBy(existing, identity)) return existing;
  const annotations = { ...metadata.annotations, [requestAnnotation]: identity.id };
  return await store.create(kind, { ...object, metadata: { ...metadata, annotations } });
}

/** Whether an earlier attempt at the request created the object, and was interrupted before its response. */
export const isCreatedBy = (object: StoredObject, { id }: RequestIdentity): boolean =>
  object.metadata.annotations?.[requestAnnotation] === id && !isDeleting(object);
