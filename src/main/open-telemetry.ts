import type { Config } from '../config.ts';
import type { ZoneTelemetry } from '../integrations/telemetry/zone-telemetry.ts';
import { clusterTelemetry } from './cluster-telemetry.ts';
import { loadKubeConfig } from './load-kube-config.ts';
import { noTelemetry } from './no-telemetry.ts';

/** Of the zones of the cluster that also holds the store. */
export async function openTelemetry({
  store,
  rights,
  prometheus,
}: Config): Promise<ZoneTelemetry & { close(): Promise<void> }> {
  if (store !== 'kubernetes') return { ...noTelemetry, close: async () => {} };
  return clusterTelemetry({ kubeConfig: await loadKubeConfig(), rights, prometheus });
}
