import { SecretKind } from '../kinds/kubernetes.ts';
import type { ClusterAccess } from '../rules/clusters/cluster-access.ts';
import { ClusterKind } from '../rules/clusters/kinds.ts';
import { clustersSecretRef, readClusterAccess, withClusterAccess } from '../rules/clusters/clusters-secret.ts';
import { systemNamespace } from '../rules/resource.ts';
import { applyObject } from '../store/apply-object.ts';
import type { Store } from '../store/store.ts';

export const findClusterAccess = async (store: Store, name: string): Promise<ClusterAccess | undefined> =>
  readClusterAccess(await store.find(SecretKind, clustersSecretRef), name);

const attemptsMax = 5;

/** Saves the credentials of one cluster, or deletes them; those of the others stay. */
export async function saveClusterAccess(store: Store, name: string, access: ClusterAccess | undefined): Promise<void> {
  if (!access && !(await store.find(SecretKind, clustersSecretRef))) return;
  await applyObject(store, SecretKind, {
    ref: clustersSecretRef,
    build: (secret) => ({ type: 'Opaque', data: withClusterAccess(secret, name, access) }),
    attemptsMax,
  });
}

/** Saves new credentials unless others were saved since `previous` was read, or the credentials were deleted. */
export async function replaceClusterAccess(
  store: Store,
  name: string,
  { previous, access }: { previous: ClusterAccess | undefined; access: ClusterAccess },
): Promise<void> {
  await applyObject(store, SecretKind, {
    ref: clustersSecretRef,
    build: (secret) => {
      const isCurrent = JSON.stringify(readClusterAccess(secret, name)) === JSON.stringify(previous);
      return { type: 'Opaque', data: isCurrent ? withClusterAccess(secret, name, access) : (secret?.data ?? {}) };
    },
    attemptsMax,
  });
}

/**
 * Deletes the credentials of clusters that were deleted without the API, which a later cluster of the name would use.
 * Each attempt lists the clusters after it has read the credentials, which are saved after their cluster.
 */
export async function deleteLeftClusterAccess(store: Store): Promise<void> {
  if (!(await store.find(SecretKind, clustersSecretRef))) return;
  await applyObject(store, SecretKind, {
    ref: clustersSecretRef,
    build: async (secret) => {
      const { items } = await store.list(ClusterKind, { namespace: systemNamespace });
      const names = new Set(items.map(({ metadata }) => metadata.name));
      const kept = Object.entries(secret?.data ?? {}).filter(([name]) => names.has(name));
      return { type: 'Opaque', data: Object.fromEntries(kept) };
    },
    attemptsMax,
  });
}
