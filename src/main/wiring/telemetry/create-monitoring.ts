import type { Config } from '../../../config.ts';
import { ServiceError } from '../../../errors.ts';
import { listAlerts } from '../../../integrations/telemetry/alertmanager-alerts.ts';
import type { Monitoring } from '../../../integrations/telemetry/monitoring.ts';
import { listRules, queryInstant, queryRange } from '../../../integrations/telemetry/prometheus-queries.ts';

const throwMissing = (setting: string) => async (): Promise<never> => {
  throw new ServiceError(
    'telemetry-not-configured',
    `Metrics are unavailable: ${setting} is not set. Ask an operator to set it.`,
  );
};

/** Queries the Prometheus and the Alertmanager of the configuration. */
export const createMonitoring = ({
  prometheus,
  alertmanager,
}: Pick<Config, 'prometheus' | 'alertmanager'>): Monitoring => ({
  queryInstant: prometheus ? queryInstant(prometheus) : throwMissing('PROMETHEUS_URL'),
  queryRange: prometheus ? queryRange(prometheus) : throwMissing('PROMETHEUS_URL'),
  listRules: prometheus ? listRules(prometheus) : throwMissing('PROMETHEUS_URL'),
  listAlerts: alertmanager ? listAlerts(alertmanager) : throwMissing('ALERTMANAGER_URL'),
});
