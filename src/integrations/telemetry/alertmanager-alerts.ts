import { z } from 'zod';
import { alertmanagerWords, type MetricsServer, requestMetrics } from './metrics-request.ts';
import type { Monitoring } from './monitoring.ts';

const Labels = z.record(z.string(), z.string());
const AlertsResponse = z.array(
  z.object({
    fingerprint: z.string(),
    labels: Labels,
    annotations: Labels,
    startsAt: z.coerce.date(),
    endsAt: z.coerce.date(),
    updatedAt: z.coerce.date(),
    generatorURL: z.string().optional(),
    status: z.object({ state: z.enum(['active', 'suppressed', 'unprocessed']) }),
    receivers: z.array(z.object({ name: z.string() })),
  }),
);

/** Lists the alerts of a namespace, which Alertmanager selects: it may hold those of a thousand orgs. */
export const listAlerts =
  (server: MetricsServer): Monitoring['listAlerts'] =>
  async (namespace) => {
    const alerts = await requestMetrics(server, {
      ...alertmanagerWords,
      path: '/api/v2/alerts',
      parameters: { filter: `namespace=${JSON.stringify(namespace)}` },
      schema: AlertsResponse,
    });
    return alerts.map(({ status, receivers, generatorURL, ...alert }) => ({
      ...alert,
      // An alert that a program posts may have none.
      ...(generatorURL && { generatorURL }),
      state: status.state,
      receivers: receivers.map(({ name }) => name),
    }));
  };
