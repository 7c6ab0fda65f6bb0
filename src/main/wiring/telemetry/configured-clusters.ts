import type { Config } from '../../../config.ts';
import type { ZoneCluster } from '../../../integrations/telemetry/zone-cluster.ts';
import { nameSetting } from '../load-kube-config.ts';
import { toZoneCluster } from './to-zone-cluster.ts';

type ClusterConfig = Pick<Config, 'workloadClusters' | 'workloadKubeconfig' | 'workloadPrometheus' | 'prometheus'>;

/** Connects to the workload clusters for which the operator's kubeconfig has a context of their name. */
export async function connectConfiguredClusters({
  workloadClusters,
  workloadKubeconfig,
  workloadPrometheus,
  prometheus,
}: ClusterConfig): Promise<{ clusters: ReadonlyMap<string, ZoneCluster>; close(): Promise<void> }> {
  if (workloadKubeconfig === undefined) return { clusters: new Map(), close: async () => {} };
  // The library is slow to load and not needed on one machine.
  const { KubeConfig } = await import('@kubernetes/client-node');
  const { connectApiServer } = await import('../../../store/kubernetes/api-server.ts');
  const servers = workloadClusters.flatMap((name) => {
    const kubeConfig = new KubeConfig();
    nameSetting('WORKLOAD_KUBECONFIG', () => kubeConfig.loadFromFile(workloadKubeconfig));
    if (kubeConfig.getContextObject(name) === null) return [];
    kubeConfig.setCurrentContext(name);
    return [{ name, api: connectApiServer(kubeConfig, { workloadCluster: name }) }];
  });
  const connect = servers.map(async ({ name, api }): Promise<[string, ZoneCluster]> => {
    const url = workloadPrometheus.get(name);
    const options =
      url === undefined ? undefined : { scrapeSeconds: 30, ...prometheus, url, setting: 'WORKLOAD_PROMETHEUS_URLS' };
    return [name, await toZoneCluster(api, options)];
  });
  return {
    clusters: new Map(await Promise.all(connect)),
    close: async () => void (await Promise.all(servers.map(async ({ api }) => await api.close()))),
  };
}
