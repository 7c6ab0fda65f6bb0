import { createHash } from 'node:crypto';
import { createRoute } from '@hono/zod-openapi';
import { WorkflowExecutionAlreadyStartedError, type Workflow } from '@temporalio/common';
import { routeDeliveryStart, type RouteDeliveryInput } from '../../workflows/intake/messages.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { callWorkflow } from '../../src/integrations/temporal/call-workflow.ts';
import { jsonResponse } from '../http/views.ts';
import { announceClosedPull } from './announce-closed-pull.ts';
import { DeliveryVerifier } from './delivery-verifier.ts';
import { findHeader } from './sender-hints.ts';
import { deliveryParameters, deliveryRequestBody } from './delivery-events.ts';
import { parseDelivery } from './parse-delivery.ts';
import { DeliveryReceiptView } from './schemas.ts';

/** The code host closes the connection after ten seconds. */
const startTimeoutMs = 8_000;

const route = createRoute({
  operationId: 'receiveCodehostDelivery',
  method: 'post',
  path: '/v1/webhooks/codehost',
  tags: ['Webhooks'],
  summary: 'Receive a code host webhook',
  description:
    'Authenticated by its signature. The code host names the type of the event and the delivery in its headers `X-…-Event` and `X-…-Delivery`. Events that can start runs are routed after the response, and runs that wait for a decision on a pull request learn that it was closed; other events are ignored. Returns 503 while too many bodies with an unverified signature are being received.',
  ...requireRole('anyone', { bodyBytesMax: 'limited by the handler' }),
  parameters: deliveryParameters,
  requestBody: deliveryRequestBody,
  responses: {
    202: jsonResponse('The delivery was accepted or ignored', DeliveryReceiptView),
    ...problems(401, 413),
  },
});

export function receiveCodehostDelivery(app: App, deps: ApiDeps): void {
  const deliveries = deps.deliveries ?? new DeliveryVerifier(deps);
  app.openapi(route, async (c) => {
    // A connection that stays open would have to receive the rest of a rejected body.
    c.header('Connection', 'close');
    const { body, signer } = await deliveries.verify(c);
    c.header('Connection', undefined);
    c.set('otherCaller', 'codehost');
    c.set('knownOrg', signer.org);

    const headers = c.req.header();
    const bodyHash = createHash('sha256').update(body).digest('hex').slice(0, 16);
    const deliveryId = findHeader(headers, /^x-[a-z]+-delivery$/) ?? bodyHash;
    const event = findHeader(headers, /^x-[a-z]+-event$/);
    const isForm = (c.req.header('content-type') ?? '').startsWith('application/x-www-form-urlencoded');
    const parsed = parseDelivery({ event, body, isForm, appSlug: signer.appSlug, now: deps.now() });
    const { changedRepo, closedPullUrl } = parsed;
    if (changedRepo !== undefined) c.get('issueIndex').markChanged({ org: signer.org, repo: changedRepo });
    if (closedPullUrl !== undefined)
      await announceClosedPull(deps, { org: signer.org, url: closedPullUrl, timeoutMs: startTimeoutMs });
    if ('ignored' in parsed) return c.json({ deliveryId, outcome: 'ignored' as const, ...parsed.ignored }, 202);
    await startRouteDelivery(deps, { org: signer.org, deliveryId, bodyHash, facts: parsed.facts });
    return c.json({ deliveryId, outcome: 'accepted' as const }, 202);
  });
}

/** A delivery is acknowledged only after its workflow started; the code host can send a failed delivery again. */
async function startRouteDelivery({ temporal }: ApiDeps, input: RouteDeliveryInput): Promise<void> {
  const { type, options } = routeDeliveryStart(input);
  const start = async (): Promise<unknown> => await temporal.workflow.start<Workflow>(type, options);
  try {
    await callWorkflow(temporal, start, { timeoutMs: startTimeoutMs });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
