import { z } from '@hono/zod-openapi';
import { ignoredReasons } from '../../src/rules/intake/ignored-reasons.ts';
import { DeliverySpec } from '../../src/rules/intake/kinds.ts';

const reasonFields = {
  reason: z
    .enum(ignoredReasons)
    .optional()
    .openapi({ description: 'The machine-readable reason why the event started no run.' }),
  message: z.string().optional().openapi({ description: 'The reason in words.' }),
};

export const DeliveryReceiptView = z
  .object({
    deliveryId: z.string().describe('Id of the delivery at the code host.'),
    outcome: z.enum(['accepted', 'ignored']).describe('`accepted` if the event can start runs.'),
    ...reasonFields,
  })
  .openapi('DeliveryReceipt');

export const DeliveryView = DeliverySpec.extend({
  event: z.string().openapi({ description: 'For example `issue.labeled` or `pull_request.synchronize`.' }),
  run: z.string().optional().openapi({ description: 'The run that the event started.' }),
  ...reasonFields,
}).openapi('Delivery');
