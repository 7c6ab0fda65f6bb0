import { isServiceError, ServiceError } from '../../errors.ts';
import { type Namespace, NamespaceKind } from '../../kinds/kubernetes.ts';
import { listRemainingContent } from '../../rules/environments/list-remaining-content.ts';
import { apiGroup } from '../../rules/resource.ts';
import type { ApiServer } from './api-server.ts';
import { readRaw } from './read.ts';
import { toServiceError } from './api-error.ts';
import { remove } from './writes.ts';

/** Deletes a namespace that the service created, and returns what the cluster has not deleted yet. */
export async function deleteNamespace(server: ApiServer, name: string): Promise<string[]> {
  const ref = { namespace: '', name };
  const namespace = (await readRaw(server, NamespaceKind, ref).catch((error: unknown) => {
    throw toServiceError(error, NamespaceKind, ref);
  })) as Namespace | undefined;
  if (!namespace) return [];
  if (namespace.metadata.deletionTimestamp !== undefined) return listRemainingContent(namespace);
  if (namespace.metadata.labels?.['app.kubernetes.io/managed-by'] !== apiGroup)
    throw new ServiceError(
      'namespace-taken',
      `The service did not create the namespace "${name}", so it does not delete it. Delete the namespace with kubectl.`,
    );
  const { resourceVersion } = namespace.metadata;
  try {
    // With the version, only the very namespace whose labels were read is deleted.
    await remove(server, { kind: NamespaceKind, ref, resourceVersion });
  } catch (error) {
    if (!isServiceError(error, 'conflict') && !isServiceError(error, 'not-found')) throw error;
  }
  return listRemainingContent(namespace);
}
