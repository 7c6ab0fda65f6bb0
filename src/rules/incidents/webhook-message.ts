import { z } from 'zod';

/** The length of labels has no limit, because one long label would reject all alerts of the message. */
const Texts = z.record(z.string(), z.string());
const AlertTime = z.iso.datetime({ offset: true });

/** One alert in an Alertmanager message. */
export const WebhookAlert = z.object({
  status: z.enum(['firing', 'resolved']).describe('Whether the alert fires.'),
  labels: Texts.describe('Labels of the alert.'),
  annotations: Texts.default({}).describe('Annotations of the alert.'),
  startsAt: AlertTime.describe('Time at which the alert began to fire.'),
  endsAt: AlertTime.optional().describe('Time at which the alert cleared, if it is resolved.'),
  generatorURL: z.string().optional().describe('URL of the rule in Prometheus.'),
  fingerprint: z
    .string()
    .regex(/^[0-9a-f]{1,64}$/)
    .describe('Hash of the labels.'),
});
export type WebhookAlert = z.infer<typeof WebhookAlert>;

/** The body of Alertmanager's webhook, with only the fields that the service reads. */
export const WebhookMessage = z.object({
  version: z.literal('4').describe('Version of the message.'),
  receiver: z.string().describe('Receiver in the Alertmanager configuration.'),
  alerts: z.array(WebhookAlert).describe('Alerts of the group.'),
});
