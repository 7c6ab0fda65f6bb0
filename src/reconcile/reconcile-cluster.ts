import { type Cluster, ClusterKind, ClusterSpec } from '../rules/clusters/kinds.ts';
import type { ReconcileDeps } from './deps.ts';
import { assertValidName, parseSpec } from './parse-spec.ts';
import { reconcileSpec } from './reconcile-spec.ts';

/** Validates a Cluster that was written to the store without the API. It gets its kubeconfig from the API. */
export async function reconcileCluster(deps: ReconcileDeps, cluster: Cluster): Promise<void> {
  await reconcileSpec(deps, ClusterKind, cluster, {
    async assertValid() {
      assertValidName(ClusterKind, cluster.metadata.name);
      parseSpec(ClusterKind, ClusterSpec, cluster);
    },
  });
}
