import { z } from '@hono/zod-openapi';
import { DeliverySpec } from '../../src/rules/intake/kinds.ts';

export const ReceiptView = z
  .object({ delivery: z.string(), started: z.enum(['routing', 'ignored']), reason: z.string().optional() })
  .openapi('DeliveryReceipt');

export const DeliveryView = DeliverySpec.extend({
  event: z.string().openapi({ description: 'Such as `issue.labeled` or `pull_request.synchronize`.' }),
  run: z.string().optional().openapi({ description: 'The run that it started.' }),
  reason: z.string().optional().openapi({ description: 'Why it started none.' }),
}).openapi('Delivery');
