import { isServiceError } from '../../src/errors.ts';
import type { Monitoring } from '../../src/integrations/telemetry/monitoring.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { inTime } from './in-time.ts';

export type MetricsHealth = { reachable: boolean; message?: string };

/** Asks Prometheus and Alertmanager one question each, and waits no longer than the timeout. */
export async function checkMetrics(monitoring: Monitoring, timeoutMs: number): Promise<MetricsHealth> {
  const late = { reachable: false, message: 'Prometheus or Alertmanager did not respond in time.' };
  return await inTime(askBoth(monitoring), { timeoutMs, late });
}

async function askBoth(monitoring: Monitoring): Promise<MetricsHealth> {
  try {
    await Promise.all([monitoring.queryInstant('1'), monitoring.listAlerts(systemNamespace)]);
    return { reachable: true };
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return { reachable: false, message: error.message };
  }
}
