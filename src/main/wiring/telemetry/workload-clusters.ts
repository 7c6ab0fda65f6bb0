import type { Config } from '../../../config.ts';
import type { Judge } from '../../../integrations/http/judged-dispatcher.ts';
import type { WorkloadClusters } from '../../../integrations/telemetry/zone-cluster.ts';
import type { Store } from '../../../store/store.ts';
import { connectAddedClusters } from './added-clusters.ts';
import { connectConfiguredClusters } from './configured-clusters.ts';

type OpenClusters = { clusters: WorkloadClusters; close(): Promise<void> };
type ClusterConfig = Pick<Config, 'workloadClusters' | 'workloadKubeconfig' | 'workloadPrometheus' | 'prometheus'>;

/** Connects to the workload clusters that platform admins add, and to those of the operator's kubeconfig. */
export async function connectWorkloadClusters(
  config: ClusterConfig,
  { store, judge }: { store: Store; judge: Judge },
): Promise<OpenClusters> {
  const configured = await connectConfiguredClusters(config);
  const added = connectAddedClusters({ store, judge });
  return {
    clusters: { find: async (name) => (await added.find(name)) ?? configured.clusters.get(name) },
    close: async () => void (await Promise.all([configured.close(), added.close()])),
  };
}
