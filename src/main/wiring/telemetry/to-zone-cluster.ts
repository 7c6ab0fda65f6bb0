import { kubernetesLogs } from '../../../integrations/telemetry/kubernetes-logs.ts';
import { prometheusSeries, type PrometheusOptions } from '../../../integrations/telemetry/prometheus-series.ts';
import type { ZoneCluster } from '../../../integrations/telemetry/zone-cluster.ts';
import type { ApiServer } from '../../../store/kubernetes/api-server.ts';
import { seriesUnavailable } from './no-telemetry.ts';

/** Reads the zones of a cluster through its API server, and their metrics from its Prometheus. */
export async function toZoneCluster(api: ApiServer, prometheus: PrometheusOptions | undefined): Promise<ZoneCluster> {
  const { kubernetesObjects } = await import('../../../store/kubernetes.ts');
  const querySeries = prometheus === undefined ? seriesUnavailable : prometheusSeries(prometheus);
  return {
    objects: kubernetesObjects(api),
    telemetry: { queryLogs: kubernetesLogs(api), querySeries },
    requestService: async ({ namespace, name: service }, signal) =>
      await api.requestService({ namespace, service: `${service}:http` }, signal),
  };
}
