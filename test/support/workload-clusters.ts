import type { WorkloadClusters, ZoneCluster } from '../../src/integrations/telemetry/zone-cluster.ts';

/** Returns exactly these workload clusters, whatever the store says. */
export const buildWorkloadClusters = (clusters: Record<string, ZoneCluster>): WorkloadClusters => ({
  find: async (name) => clusters[name],
});
