import { z } from '@hono/zod-openapi';
import { DeliverySpec } from '../../src/rules/intake/kinds.ts';

export const DeliveryReceiptView = z
  .object({ deliveryId: z.string(), outcome: z.enum(['accepted', 'ignored']), reason: z.string().optional() })
  .openapi('DeliveryReceipt');

export const DeliveryView = DeliverySpec.extend({
  event: z.string().openapi({ description: 'For example `issue.labeled` or `pull_request.synchronize`.' }),
  run: z.string().optional().openapi({ description: 'The run that the event started.' }),
  reason: z.string().optional().openapi({ description: 'Why the event started no run.' }),
}).openapi('Delivery');
