import { isServiceError } from '../../errors.ts';
import { acceptedGenerationAnnotation, isCreatedByService, isReconciled } from '../../rules/conditions.ts';
import type { PodSecurity } from '../../rules/environments/zone-namespace.ts';
import { apiVersion, type Kind, restoredUidAnnotation, type StoredObject } from '../../rules/resource.ts';
import type { AnyObject } from '../any-object.ts';
import type { ApiServer } from './api-server.ts';
import { readRaw } from './read.ts';
import { create, updateStatus } from './writes.ts';

type Restored = { given: AnyObject; orgPodSecurity: PodSecurity };

/**
 * Creates the object with the uid that it had as an annotation, then writes its status. Objects of other systems are only
 * created, because those systems write the status.
 */
export async function restore(
  server: ApiServer,
  kind: Kind<StoredObject>,
  { given, orgPodSecurity }: Restored,
): Promise<AnyObject> {
  const { metadata, status } = given;
  const { namespace, name } = metadata;
  const object = { ...given, metadata: { ...metadata, annotations: toAnnotations(given) } };
  if (status === undefined || kind.apiVersion !== apiVersion)
    return await create(server, kind, { given: object, orgPodSecurity });
  await create(server, kind, { given: object, orgPodSecurity }).catch(async (error: unknown) => {
    if (!isServiceError(error, 'conflict') || !(await lacksStatus(server, kind, given))) throw error;
  });
  return await updateStatus(server, { kind, ref: { namespace, name }, change: () => status });
}

/** Returns whether an earlier attempt to restore the object stopped between its two writes. */
async function lacksStatus(server: ApiServer, kind: Kind<StoredObject>, { metadata }: AnyObject): Promise<boolean> {
  const existing = await readRaw(server, kind, metadata);
  return existing?.status === undefined && existing?.metadata.annotations?.[restoredUidAnnotation] === metadata.uid;
}

/** The generation of a new object is 1, so that is the accepted one if the latest was accepted before. */
function toAnnotations(given: AnyObject): Record<string, string> {
  return {
    ...given.metadata.annotations,
    [restoredUidAnnotation]: given.metadata.uid,
    ...(isCreatedByService(given) && { [acceptedGenerationAnnotation]: isReconciled(given) ? '1' : '0' }),
  };
}
