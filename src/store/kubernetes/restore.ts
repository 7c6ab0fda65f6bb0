import type { PodSecurity } from '../../rules/environments/zone-namespace.ts';
import { type Kind, restoredUidAnnotation, type StoredObject } from '../../rules/resource.ts';
import type { AnyObject } from '../any-object.ts';
import type { ApiServer } from './api-server.ts';
import { create, updateStatus } from './writes.ts';

/** Creates the object with the uid that it had as an annotation, then writes its status. */
export async function restore(
  server: ApiServer,
  kind: Kind<StoredObject>,
  { given, orgPodSecurity }: { given: AnyObject; orgPodSecurity: PodSecurity },
): Promise<AnyObject> {
  const { metadata, status } = given;
  const { uid, namespace, name } = metadata;
  const annotations = { ...metadata.annotations, [restoredUidAnnotation]: uid };
  const created = await create(server, kind, {
    given: { ...given, metadata: { ...metadata, annotations } },
    orgPodSecurity,
  });
  if (status === undefined) return created;
  return await updateStatus(server, { kind, ref: { namespace, name }, change: () => status });
}
