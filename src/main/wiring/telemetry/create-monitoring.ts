import type { Config } from '../../../config.ts';
import { ServiceError } from '../../../errors.ts';
import { listAlerts } from '../../../integrations/telemetry/alertmanager-alerts.ts';
import type { Monitoring } from '../../../integrations/telemetry/monitoring.ts';
import { listRules, queryInstant, queryRange } from '../../../integrations/telemetry/prometheus-queries.ts';

type ServerName = 'prometheus' | 'alertmanager';
/** Returns the reasons why servers that this process starts cannot be asked. */
export type FindViolations = () => Partial<Record<ServerName, string | undefined>> | undefined;

const settings = { prometheus: 'PROMETHEUS_URL', alertmanager: 'ALERTMANAGER_URL' };

/** Queries the Prometheus and the Alertmanager of the configuration. */
export function createMonitoring(
  config: Pick<Config, ServerName>,
  findViolations: FindViolations = () => ({}),
): Monitoring {
  const getServer = <Name extends ServerName>(name: Name): NonNullable<Config[Name]> => {
    const violation = findViolations()?.[name];
    if (violation !== undefined) throw new ServiceError('metrics-unavailable', `Metrics are unavailable: ${violation}`);
    const server = config[name];
    if (server) return server;
    throw new ServiceError(
      'telemetry-not-configured',
      `Metrics are unavailable: ${settings[name]} is not set. Ask an operator to set it.`,
    );
  };
  return {
    queryInstant: async (promql, at) => await queryInstant(getServer('prometheus'))(promql, at),
    queryRange: async (promql, range) => await queryRange(getServer('prometheus'))(promql, range),
    listRules: async () => await listRules(getServer('prometheus'))(),
    listAlerts: async (namespace) => await listAlerts(getServer('alertmanager'))(namespace),
  };
}
