import { createRoute, z } from '@hono/zod-openapi';
import { toAlertEpisode, speaksFor } from '../../src/rules/incidents/to-alert-episode.ts';
import { WebhookMessage, type WebhookAlert } from '../../src/rules/incidents/webhook-message.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { recordAlert } from '../../src/store/record-alert.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { body, jsonResponse } from '../http/views.ts';
import { assertAlertToken } from './assert-alert-token.ts';

/** An alert is some kilobytes, so this holds thousands of them. */
const bodyBytesMax = 16 * 1024 * 1024;
/** One message must not use all connections to the store. */
const concurrentAlerts = 20;

const AlertReceiptView = z
  .object({
    recorded: z.int().describe('Number of alerts that opened or changed an incident.'),
    unchanged: z.int().describe('Number of alerts that said nothing new.'),
    ignored: z.int().describe('Number of alerts that concern no zone of a Product.'),
  })
  .openapi('AlertReceipt');

export function receiveAlerts(app: App, deps: ApiDeps): void {
  const { middleware, ...role } = requireRole('anyone', { bodyBytesMax });
  const route = createRoute({
    operationId: 'receiveAlerts',
    method: 'post',
    path: '/v1/webhooks/alerts',
    tags: ['Webhooks'],
    summary: 'Receive alerts from Alertmanager',
    description:
      'Opens, reopens and resolves the incidents of the alerts, one for each episode of an alert, and responds when they are stored. Authenticated by the token of the Secret `service-alert-webhook`. The labels `namespace`, `product` and `zone` name the zone; alerts of unknown Products are ignored.',
    ...role,
    security: [{ alertToken: [] }],
    middleware: [assertAlertToken(deps.store), ...middleware],
    request: { body: body(WebhookMessage) },
    responses: {
      200: jsonResponse('The alerts are stored', AlertReceiptView),
      ...problems(400, 401, 413, 415, 422),
    },
  });
  app.openapi(route, async (c) => {
    const { receiver, alerts } = c.req.valid('json');
    const counts = { recorded: 0, unchanged: 0, ignored: 0 };
    for (let start = 0; start < alerts.length; start += concurrentAlerts) {
      const batch = alerts.slice(start, start + concurrentAlerts);
      const outcomes = await Promise.all(batch.map((alert) => receiveAlert(deps, receiver, alert)));
      for (const outcome of outcomes) counts[outcome] += 1;
    }
    return c.json(counts, 200);
  });
}

/** An alert that cannot be attributed is logged and accepted, because Alertmanager would send the whole group again. */
async function receiveAlert(
  { store, log }: Pick<ApiDeps, 'store' | 'log'>,
  receiver: string,
  alert: WebhookAlert,
): Promise<'recorded' | 'unchanged' | 'ignored'> {
  const episode = toAlertEpisode(alert);
  const isAllowed = episode !== undefined && speaksFor(receiver, orgNamespace(episode.org));
  const outcome = isAllowed ? await recordAlert(store, episode) : 'unknown-labels';
  if (outcome === 'recorded' || outcome === 'unchanged') return outcome;
  const { namespace, product, zone, alertname } = alert.labels;
  log.warn({ reason: outcome, receiver, namespace, product, zone, alertname }, 'Alert ignored');
  return 'ignored';
}
