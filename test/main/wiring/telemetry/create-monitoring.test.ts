import { expect, it } from 'vitest';
import { createMonitoring } from '../../../../src/main/wiring/telemetry/create-monitoring.ts';

it('names the setting that is missing', async () => {
  const monitoring = createMonitoring({ prometheus: undefined, alertmanager: undefined });
  const range = { from: new Date(0), to: new Date(60_000), stepSeconds: 60 };
  for (const query of [monitoring.queryInstant('up'), monitoring.queryRange('up', range), monitoring.listRules()])
    await expect(query).rejects.toMatchObject({
      reason: 'telemetry-not-configured',
      message: 'Metrics are unavailable: PROMETHEUS_URL is not set. Ask an operator to set it.',
    });
  await expect(monitoring.listAlerts('org-acme')).rejects.toThrow('ALERTMANAGER_URL is not set');
});
