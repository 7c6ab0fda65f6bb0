import type { AlertmanagerConfig } from '../../kinds/prometheus-operator.ts';
import { alertWebhookSecret } from './alert-webhook-secret.ts';

/** The AlertmanagerConfig in the namespace of each org. */
export const alertRouteName = 'service-incidents';

/**
 * Builds the route of an org's alerts to the API. The operator restricts it to alerts with the namespace of the org. The
 * group is only the message, because each alert in it has an incident of its own.
 */
export const toAlertRoute = (webhookUrl: string): AlertmanagerConfig['spec'] => ({
  route: {
    receiver: 'service',
    groupBy: ['product', 'zone'],
    groupWait: '5s',
    groupInterval: '30s',
    repeatInterval: '4h',
  },
  receivers: [
    {
      name: 'service',
      webhookConfigs: [
        {
          url: webhookUrl,
          // Without it, an incident would end only at the next check.
          sendResolved: true,
          httpConfig: {
            authorization: {
              type: 'Bearer',
              credentials: { name: alertWebhookSecret.name, key: alertWebhookSecret.key },
            },
            // A redirect would take the token to another server.
            followRedirects: false,
          },
        },
      ],
    },
  ],
});
