import { ServiceError } from '../../../errors.ts';
import type { ZoneTelemetry } from '../../../integrations/telemetry/zone-telemetry.ts';

const throwUnavailable = async (): Promise<never> => {
  throw new ServiceError(
    'telemetry-not-configured',
    'Pod logs and metrics are unavailable with this store. Set STORE=kubernetes.',
  );
};

/** The telemetry of an installation that has no cluster. */
export const noTelemetry: ZoneTelemetry = { queryLogs: throwUnavailable, querySeries: throwUnavailable };

export const seriesUnavailable = async (): Promise<never> => {
  throw new ServiceError(
    'telemetry-not-configured',
    'Pod metrics are unavailable: no Prometheus is configured for the cluster of the zone. Ask an operator to set PROMETHEUS_URL, or for a workload cluster its Prometheus in the settings or in WORKLOAD_PROMETHEUS_URLS.',
  );
};
