import { createHash } from 'node:crypto';
import { createRoute } from '@hono/zod-openapi';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { Context } from 'hono';
import { ServiceError } from '../../src/errors.ts';
import { eventName } from '../../src/rules/intake/events.ts';
import { routeDeliveryId, type RouteDeliveryInput } from '../../workflows/intake/messages.ts';
import { searchAttributes } from '../../workflows/search-attributes.ts';
import { defaultTaskQueue } from '../../workflows/task-queues.ts';
import type { ApiDeps, ApiEnv, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { speaking } from '../temporal.ts';
import { answer } from '../views.ts';
import { createFindSigner } from './find-signer.ts';
import { headerLike, hintsIn } from './hints.ts';
import { readDelivery } from './read-delivery.ts';
import { ReceiptView } from './schemas.ts';

/** As much as the code host sends at most. */
const bodyBytesMax = 25 * 1024 * 1024;
/** The code host hangs up after ten seconds. */
const answerWithinMs = 8_000;

const route = createRoute({
  operationId: 'receiveCodehostDelivery',
  method: 'post',
  path: '/v1/webhooks/codehost',
  tags: ['Webhooks'],
  summary: 'Take an event of the code host; its signature is the proof',
  ...needs('anyone', { bodyBytesMax }),
  responses: {
    202: answer('The signature matches an org; what comes of it', ReceiptView),
    ...problems(401, 413, 503),
  },
});

export function receiveCodehostDelivery(app: App, deps: ApiDeps): void {
  const findSigner = createFindSigner(deps);
  app.openapi(route, async (c) => {
    const given = claimedDigest(c);
    if (given === undefined) throw unsigned();
    const body = Buffer.from(await c.req.arrayBuffer());
    const headers = c.req.header();
    const signer = await findSigner({ body, given }, hintsIn(headers, body));
    if (!signer) throw unsigned();

    const bodyHash = createHash('sha256').update(body).digest('hex').slice(0, 16);
    const delivery = headerLike(headers, /^x-[a-z]+-delivery$/) ?? bodyHash;
    const event = headerLike(headers, /^x-[a-z]+-event$/);
    const form = (c.req.header('content-type') ?? '').startsWith('application/x-www-form-urlencoded');
    const read = readDelivery({ event, body, form, slug: signer.slug, now: deps.now() });
    if ('ignored' in read) return c.json({ delivery, started: 'ignored' as const, reason: read.ignored }, 202);
    await startRouting(deps, { org: signer.org, delivery, facts: read.facts }, bodyHash);
    return c.json({ delivery, started: 'routing' as const }, 202);
  });
}

function claimedDigest(c: Context<ApiEnv>): Buffer | undefined {
  const given = /^sha256=([0-9a-f]{64})$/.exec(c.req.header('x-hub-signature-256') ?? '')?.[1];
  return given === undefined ? undefined : Buffer.from(given, 'hex');
}

const unsigned = (): ServiceError =>
  new ServiceError(
    'not-signed-in',
    'The signature matches the webhook secret of no org. Check the secret at the code host.',
  );

/** Once this is over the delivery is ours; one that is refused here, the code host marks failed and can send again. */
async function startRouting({ temporal }: ApiDeps, input: RouteDeliveryInput, bodyHash: string): Promise<void> {
  const { org, delivery, facts } = input;
  const start = async (): Promise<unknown> =>
    await temporal.workflow.start('routeDelivery', {
      taskQueue: defaultTaskQueue,
      workflowId: routeDeliveryId({ org, delivery, bodyHash }),
      workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
      workflowIdConflictPolicy: 'USE_EXISTING',
      args: [input],
      staticSummary: `${eventName(facts)} ${facts.repo}#${facts.number}`,
      typedSearchAttributes: searchAttributes({ org, targetKind: 'delivery' }),
    });
  try {
    await speaking(temporal, start, { withinMs: answerWithinMs });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
