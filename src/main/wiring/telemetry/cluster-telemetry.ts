import type { KubeConfig } from '@kubernetes/client-node';
import { kubernetesLogs } from '../../../integrations/telemetry/kubernetes-logs.ts';
import { type PrometheusOptions, prometheusSeries } from '../../../integrations/telemetry/prometheus-series.ts';
import type { ZoneTelemetry } from '../../../integrations/telemetry/zone-telemetry.ts';
import { seriesUnavailable } from './no-telemetry.ts';
import { withNamespaceAccess, type NamespaceRoles } from '../../../store/kubernetes/namespace-access.ts';
import { connectApiServer } from '../../../store/kubernetes/api-server.ts';

type TelemetrySources = {
  kubeConfig: KubeConfig;
  namespaceAccess?: NamespaceRoles | undefined;
  prometheus: PrometheusOptions | undefined;
};

/** Reads pod logs from the API server of the cluster and pod metrics from Prometheus. */
export function createClusterTelemetry({
  kubeConfig,
  namespaceAccess,
  prometheus,
}: TelemetrySources): ZoneTelemetry & { close(): Promise<void> } {
  const connected = connectApiServer(kubeConfig);
  const api = namespaceAccess ? withNamespaceAccess(connected, namespaceAccess) : connected;
  return {
    queryLogs: kubernetesLogs(api),
    querySeries: prometheus ? prometheusSeries(prometheus) : seriesUnavailable,
    close: async () => await api.close(),
  };
}
