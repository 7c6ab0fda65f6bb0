import type { ActiveAlert, Monitoring } from '../../../src/integrations/telemetry/monitoring.ts';

/** A monitoring system without metrics, whose alerts a test sets. */
export function startMonitoring(): Monitoring & { alerts: ActiveAlert[]; failure?: Error } {
  const monitoring: Monitoring & { alerts: ActiveAlert[]; failure?: Error } = {
    alerts: [],
    queryInstant: async () => [],
    queryRange: async () => [],
    listRules: async () => [],
    listAlerts: async (namespace) => {
      if (monitoring.failure) throw monitoring.failure;
      return monitoring.alerts.filter(({ labels }) => labels['namespace'] === namespace);
    },
  };
  return monitoring;
}
