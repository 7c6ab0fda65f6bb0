import { ClusterKind } from '../rules/clusters/kinds.ts';
import { isRejected } from '../rules/conditions.ts';
import { isDeleting, systemNamespace } from '../rules/resource.ts';
import type { ReconcileDeps } from './deps.ts';

type ClusterDeps = Pick<ReconcileDeps, 'store'> & { config: Pick<ReconcileDeps['config'], 'workloadClusters'> };

/** Lists the workload clusters that zones can run in, sorted: those of the operator, and those of platform admins. */
export async function listClusterNames({ store, config }: ClusterDeps): Promise<string[]> {
  const { items } = await store.list(ClusterKind, { namespace: systemNamespace });
  const added = items.filter((cluster) => !isDeleting(cluster) && !isRejected(cluster));
  return [...new Set([...(config.workloadClusters ?? []), ...added.map(({ metadata }) => metadata.name)])].toSorted();
}
