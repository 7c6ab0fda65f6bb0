import type { KubeConfig } from '@kubernetes/client-node';
import { ServiceError } from '../errors.ts';
import { kubernetesLogs } from '../integrations/telemetry/kubernetes-logs.ts';
import { type PrometheusOptions, prometheusSeries } from '../integrations/telemetry/prometheus-series.ts';
import type { ZoneTelemetry } from '../integrations/telemetry/zone-telemetry.ts';
import { admitted, type Rights } from '../store/kubernetes/admitted.ts';
import { connectApiServer } from '../store/kubernetes/api-server.ts';

type Sources = { kubeConfig: KubeConfig; rights?: Rights | undefined; prometheus: PrometheusOptions | undefined };

/** What pods write as the API server of their cluster tells it, and what they use as Prometheus does. */
export function clusterTelemetry({
  kubeConfig,
  rights,
  prometheus,
}: Sources): ZoneTelemetry & { close(): Promise<void> } {
  const connected = connectApiServer(kubeConfig);
  const api = rights ? admitted(connected, rights) : connected;
  return {
    logs: kubernetesLogs(api),
    series: prometheus ? prometheusSeries(prometheus) : unmeasured,
    close: async () => await api.close(),
  };
}

const unmeasured = async (): Promise<never> => {
  const missing =
    'Nothing tells this installation what pods use: it has no Prometheus. An operator sets PROMETHEUS_URL.';
  throw new ServiceError('unavailable', missing);
};
