import type { Config } from '../../../config.ts';
import { kubernetesLogs } from '../../../integrations/telemetry/kubernetes-logs.ts';
import { prometheusSeries } from '../../../integrations/telemetry/prometheus-series.ts';
import type { WorkloadClusters, ZoneCluster } from '../../../integrations/telemetry/zone-cluster.ts';
import { seriesUnavailable } from './no-telemetry.ts';

type OpenClusters = { clusters: WorkloadClusters; close(): Promise<void> };
type ClusterConfig = Pick<Config, 'workloadClusters' | 'workloadKubeconfig' | 'workloadPrometheus' | 'prometheus'>;

/** Connects to the workload clusters for which the kubeconfig has a context of their name. */
export async function connectWorkloadClusters(config: ClusterConfig): Promise<OpenClusters> {
  const { workloadClusters, workloadKubeconfig, workloadPrometheus, prometheus } = config;
  if (workloadKubeconfig === undefined) return { clusters: new Map(), close: async () => {} };
  // The library is slow to load and not needed on one machine.
  const { KubeConfig } = await import('@kubernetes/client-node');
  const { connectApiServer } = await import('../../../store/kubernetes/api-server.ts');
  const { kubernetesObjects } = await import('../../../store/kubernetes.ts');
  const servers = workloadClusters.flatMap((name) => {
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromFile(workloadKubeconfig);
    if (kubeConfig.getContextObject(name) === null) return [];
    kubeConfig.setCurrentContext(name);
    return [{ name, api: connectApiServer(kubeConfig) }];
  });
  const clusters = servers.map(({ name, api }): [string, ZoneCluster] => {
    const url = workloadPrometheus.get(name);
    const querySeries =
      url === undefined ? seriesUnavailable : prometheusSeries({ scrapeSeconds: 30, ...prometheus, url });
    return [
      name,
      {
        objects: kubernetesObjects(api),
        telemetry: { queryLogs: kubernetesLogs(api), querySeries },
        requestService: async ({ namespace, name: service }, signal) =>
          await api.requestService({ namespace, service: `${service}:http` }, signal),
      },
    ];
  });
  return {
    clusters: new Map(clusters),
    close: async () => void (await Promise.all(servers.map(async ({ api }) => await api.close()))),
  };
}
