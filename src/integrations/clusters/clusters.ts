import type { ClusterAccess } from '../../rules/clusters/cluster-access.ts';
import type { ClusterFinding } from '../../rules/clusters/kinds.ts';

export type ClusterCheck = {
  /** The Kubernetes version, such as `v1.34.2`. */
  version: string;
  findings: ClusterFinding[];
};

export type ClusterToCheck = ClusterAccess & { prometheusUrl?: string | undefined };

/** Workload clusters that platform admins add. */
export type Clusters = {
  /**
   * Signs in to the cluster and looks at what zones there need. Throws an error that names the wrong setting when the
   * cluster cannot be reached, never with text of its API server.
   */
  check(cluster: ClusterToCheck): Promise<ClusterCheck>;
};
