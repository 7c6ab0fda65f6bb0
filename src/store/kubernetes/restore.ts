import { isServiceError } from '../../errors.ts';
import { acceptedGenerationAnnotation, isCreatedByService, isReconciled } from '../../rules/conditions.ts';
import type { PodSecurity } from '../../rules/environments/zone-namespace.ts';
import { apiVersion, isDeleting, type Kind, restoredUidAnnotation, type StoredObject } from '../../rules/resource.ts';
import type { AnyObject } from '../any-object.ts';
import type { ApiServer } from './api-server.ts';
import { readRaw, toStoredObject } from './read.ts';
import { create, remove, updateStatus } from './writes.ts';

type Restored = { given: AnyObject; orgPodSecurity: PodSecurity };

/**
 * Creates the object with the uid that it had as an annotation, deletes it again if its deletion had begun, then writes its
 * status, whose absence shows a repetition that something may be left to do. The service may only create objects of other
 * systems, which write their status themselves.
 */
export async function restore(
  server: ApiServer,
  kind: Kind<StoredObject>,
  { given, orgPodSecurity }: Restored,
): Promise<AnyObject> {
  const { metadata, status } = given;
  const { namespace, name, deletionTimestamp } = metadata;
  const ref = { namespace, name };
  const object = { ...given, metadata: { ...metadata, annotations: toAnnotations(given) } };
  if (kind.apiVersion !== apiVersion) return await create(server, kind, { given: object, orgPodSecurity });
  const created = await create(server, kind, { given: object, orgPodSecurity }).catch(async (error: unknown) => {
    const unfinished = isServiceError(error, 'conflict') && (await findUnfinished(server, kind, given));
    if (!unfinished) throw error;
    return unfinished;
  });
  if (deletionTimestamp === undefined)
    return status === undefined ? created : await updateStatus(server, { kind, ref, change: () => status });
  try {
    await remove(server, { kind, ref, resourceVersion: undefined });
    return await updateStatus(server, { kind, ref, change: () => status });
  } catch (error) {
    if (!isServiceError(error, 'not-found')) throw error;
    return { ...created, metadata: { ...created.metadata, deletionTimestamp } };
  }
}

/** Returns the object if an earlier attempt to restore it stopped before its last write. */
async function findUnfinished(
  server: ApiServer,
  kind: Kind<StoredObject>,
  given: AnyObject,
): Promise<AnyObject | undefined> {
  if (given.status === undefined && !isDeleting(given)) return undefined;
  const existing = await readRaw(server, kind, given.metadata);
  const isUnfinished =
    existing?.status === undefined && existing?.metadata.annotations?.[restoredUidAnnotation] === given.metadata.uid;
  return isUnfinished ? toStoredObject(kind, existing) : undefined;
}

/** The generation of a new object is 1, so that is the accepted one if the latest was accepted before. */
function toAnnotations(given: AnyObject): Record<string, string> {
  return {
    ...given.metadata.annotations,
    [restoredUidAnnotation]: given.metadata.uid,
    ...(isCreatedByService(given) && { [acceptedGenerationAnnotation]: isReconciled(given) ? '1' : '0' }),
  };
}
