import { createHash } from 'node:crypto';
import { createRoute, z } from '@hono/zod-openapi';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ServiceError } from '../../src/errors.ts';
import { routeDeliveryId, type RouteDeliveryInput } from '../../workflows/changes/messages.ts';
import { searchAttributes } from '../../workflows/search-attributes.ts';
import { defaultTaskQueue } from '../../workflows/task-queues.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { speaking } from '../temporal.ts';
import { answer } from '../views.ts';
import { readDelivery } from './read-delivery.ts';
import { signingOrg } from './signing-org.ts';

/** As much as the code host sends at most. */
const bodyBytesMax = 25 * 1024 * 1024;

const DeliveryView = z
  .object({ delivery: z.string(), started: z.enum(['routing', 'ignored']), reason: z.string().optional() })
  .openapi('Delivery');

const route = createRoute({
  operationId: 'receiveCodehostDelivery',
  method: 'post',
  path: '/v1/webhooks/codehost',
  tags: ['Webhooks'],
  summary: 'Take an event of the code host; its signature is the proof',
  ...needs('anyone', { bodyBytesMax }),
  responses: {
    202: answer('The signature matches an org; what comes of it', DeliveryView),
    ...problems(401, 413, 503),
  },
});

export function receiveCodehostDelivery(app: App, { store, temporal }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const body = Buffer.from(await c.req.arrayBuffer());
    const org = await signingOrg(store, body, c.req.header('x-hub-signature-256'));
    if (org === undefined)
      throw new ServiceError(
        'not-signed-in',
        'The signature matches the webhook secret of no org. Check the secret at the code host.',
      );
    const headers = c.req.header();
    const delivery = valueOf(headers, /^x-[a-z]+-delivery$/) ?? createHash('sha256').update(body).digest('hex');
    const read = readDelivery(valueOf(headers, /^x-[a-z]+-event$/), body);
    if ('ignored' in read) return c.json({ delivery, started: 'ignored' as const, reason: read.ignored }, 202);
    const input: RouteDeliveryInput = { org, delivery, facts: read.facts };
    // Answered only once the start is durable: an unanswered delivery can be sent again, an answered one is ours.
    await speaking(temporal, () =>
      temporal.workflow.start('routeDelivery', {
        taskQueue: defaultTaskQueue,
        workflowId: routeDeliveryId(input),
        workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
        workflowIdConflictPolicy: 'USE_EXISTING',
        args: [input],
        staticSummary: `${read.facts.event}.${read.facts.action} ${read.facts.repo}#${read.facts.number}`,
        typedSearchAttributes: searchAttributes({ org, targetKind: 'delivery' }),
      }),
    ).catch((error: unknown) => {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    });
    return c.json({ delivery, started: 'routing' as const }, 202);
  });
}

/** The code host's own headers carry its name in their middle. */
function valueOf(headers: Record<string, string>, name: RegExp): string | undefined {
  const found = Object.entries(headers).find(([header]) => name.test(header.toLowerCase()));
  return found === undefined || !/^[\w.-]{1,100}$/.test(found[1]) ? undefined : found[1];
}
