import type { Config } from '../../../config.ts';
import type { ZoneTelemetry } from '../../../integrations/telemetry/zone-telemetry.ts';
import { createClusterTelemetry } from './cluster-telemetry.ts';
import { loadKubeConfig } from '../load-kube-config.ts';
import { noTelemetry } from './no-telemetry.ts';

/** Connects to the telemetry of the zones in the cluster that also holds the store. */
export async function connectZoneTelemetry({
  store,
  namespaceAccess,
  prometheus,
}: Config): Promise<ZoneTelemetry & { close(): Promise<void> }> {
  if (store !== 'kubernetes') return { ...noTelemetry, close: async () => {} };
  return createClusterTelemetry({ kubeConfig: await loadKubeConfig(), namespaceAccess, prometheus });
}
