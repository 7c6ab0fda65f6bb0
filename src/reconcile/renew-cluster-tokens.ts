import { isServiceError } from '../errors.ts';
import type { Clouds } from '../integrations/clouds/clouds.ts';
import { keyedQueue } from '../keyed-queue.ts';
import type { CloudIdentity } from '../rules/cloud-accounts/identity-token.ts';
import type { ClusterAccess } from '../rules/clusters/cluster-access.ts';
import { clustersSecretRef } from '../rules/clusters/clusters-secret.ts';
import { type Cluster, type ClusterCloud, type ClusterFinding, ClusterKind } from '../rules/clusters/kinds.ts';
import { withReadyCondition } from '../rules/clusters/ready-condition.ts';
import { isRejected } from '../rules/conditions.ts';
import { isDeleting, systemNamespace } from '../rules/resource.ts';
import type { Store } from '../store/store.ts';
import { deleteLeftClusterAccess, findClusterAccess, replaceClusterAccess } from './save-cluster-access.ts';
import { isOfCloud, renewCloudAccess } from './sign-in-by-cloud.ts';

type Deps = {
  store: Store;
  clouds: Clouds;
  cloudIdentity: CloudIdentity;
  now: () => Date;
  log: { warn: (fields: object, message: string) => void };
};

/** EKS tokens live for 14 minutes, so a cloud that is unavailable for a while does not lock the service out. */
const renewBeforeMs = 7 * 60_000;

/**
 * Renews the tokens with which the service signs in to clusters of clouds. Every replica does, and the first one that
 * saves a token wins. A cluster that was applied with kubectl gets its first token here, and one that was deleted with
 * kubectl loses its credentials.
 */
export async function renewClusterTokens(deps: Deps): Promise<void> {
  const { items } = await deps.store.list(ClusterKind, { namespace: systemNamespace });
  const queue = keyedQueue();
  const renewing = items.map(async (cluster) => {
    const { cloud } = cluster.spec;
    if (!cloud || isDeleting(cluster) || isRejected(cluster)) return;
    await renewToken({ ...deps, queue }, cluster, cloud).catch((error: unknown) =>
      deps.log.warn({ cluster: cluster.metadata.name, error: String(error) }, 'Failed to renew the token of a cluster'),
    );
  });
  await Promise.all(renewing);
  await deleteLeftClusterAccess(deps.store);
}

/** After an outage all tokens are due at once, and all are in one Secret: their writers would overtake each other. */
type Renewal = Deps & { queue: ReturnType<typeof keyedQueue> };

async function renewToken(deps: Renewal, cluster: Cluster, cloud: ClusterCloud): Promise<void> {
  const { store, now, queue } = deps;
  const { name } = cluster.metadata;
  const previous = await findClusterAccess(store, name);
  if (isOfCloud(previous, cloud) && !isDue(previous, now())) return;
  let access: ClusterAccess;
  try {
    access = await renewCloudAccess(deps, cloud, previous);
  } catch (error) {
    if (!isServiceError(error)) throw error;
    await recordConnection(deps, cluster, { result: 'failed', message: error.message });
    throw error;
  }
  // A cluster that was removed meanwhile keeps no credentials.
  if (!(await store.find(ClusterKind, cluster.metadata))) return;
  await queue(clustersSecretRef.name, async () => await replaceClusterAccess(store, name, { previous, access }));
  if (cluster.status?.findings?.some(({ subject, result }) => subject === 'connection' && result === 'failed'))
    await recordConnection(deps, cluster, { result: 'ok', message: `${access.server} has a new token of the cloud.` });
}

const isDue = ({ expiresAt }: ClusterAccess, now: Date): boolean =>
  expiresAt === undefined || Date.parse(expiresAt) - now.getTime() < renewBeforeMs;

/** Replaces the finding about the connection; the others stay as the last check found them. */
async function recordConnection(
  { store, now }: Deps,
  { metadata }: Cluster,
  finding: Pick<ClusterFinding, 'result' | 'message'>,
): Promise<void> {
  await store.updateStatus(ClusterKind, metadata, ({ status }) => {
    const others = (status?.findings ?? []).filter(({ subject }) => subject !== 'connection');
    const findings = [{ subject: 'connection' as const, ...finding }, ...others];
    const at = { generation: metadata.generation, at: now().toISOString() };
    return { ...status, findings, conditions: withReadyCondition(status?.conditions, findings, at) };
  });
}
