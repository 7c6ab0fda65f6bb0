import { createRoute } from '@hono/zod-openapi';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { type LogoSuggestion, logoDirections, suggestionKey } from '../../src/rules/catalog/logo.ts';
import { suggestLogosId, type SuggestLogosInput } from '../../workflows/catalog/messages.ts';
import { searchAttributes } from '../../workflows/search-attributes.ts';
import { defaultTaskQueue } from '../../workflows/task-queues.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requestOf } from '../idempotency.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { speaking } from '../temporal.ts';
import { answer, listSchema, ProductParams } from '../views.ts';
import { getLivingProduct } from './product.ts';
import { LogoSuggestionView } from './schemas.ts';

const route = createRoute({
  operationId: 'suggestLogos',
  method: 'post',
  path: '/v1/orgs/{org}/products/{product}/logo/suggestions',
  tags: ['Products'],
  summary: 'Have ten logos suggested, each in its own direction',
  description:
    'By the org’s model, each checked to be a picture and nothing else; where it gives none, by the built-in designs. Keep one by sending its `svg` to `putLogo`. 503 while the model is still drawing: asked again with the same `Idempotency-Key`, they are the same.',
  ...needs('org-admin'),
  request: { params: ProductParams },
  responses: {
    200: answer('The suggestions', listSchema(LogoSuggestionView)),
    ...problems(401, 403, 404, 409, 503),
  },
});

export function suggestLogos(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    await getLivingProduct(deps.store, ref);
    const { id: round } = requestOf(c, `suggestLogos ${ref.org}/${ref.product}`);
    await designed(deps, { ...ref, round });
    const found = await Promise.all(
      logoDirections.map(async ({ name }) => await deps.blobs.find(suggestionKey({ ...ref, round, direction: name }))),
    );
    const items = found.flatMap((bytes) =>
      bytes ? [JSON.parse(Buffer.from(bytes).toString('utf8')) as LogoSuggestion] : [],
    );
    return c.json({ items }, 200);
  });
}

async function designed({ temporal }: ApiDeps, input: SuggestLogosInput): Promise<void> {
  const workflowId = suggestLogosId(input);
  const { org, product } = input;
  await speaking(temporal, async () => {
    try {
      await temporal.workflow.start('suggestLogos', {
        taskQueue: defaultTaskQueue,
        workflowId,
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
        args: [input],
        staticSummary: `${product}: logos to choose from`,
        typedSearchAttributes: searchAttributes({ org, product, targetKind: 'logo' }),
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
    await temporal.workflow.getHandle(workflowId).result();
  });
}
