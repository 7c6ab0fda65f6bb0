import { createRoute } from '@hono/zod-openapi';
import { deleteProductId, type DeleteProductInput } from '../../workflows/catalog/messages.ts';
import { searchAttributes } from '../../workflows/search-attributes.ts';
import { defaultTaskQueue } from '../../workflows/task-queues.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { ifMatch, refuseStale } from '../read-page.ts';
import { speaking } from '../temporal.ts';
import { answer, ProductParams } from '../views.ts';
import { getProductOf } from './product.ts';
import { ProductView, productView } from './schemas.ts';

const route = createRoute({
  operationId: 'deleteProduct',
  method: 'delete',
  path: '/v1/orgs/{org}/products/{product}',
  tags: ['Products'],
  summary: 'Delete a Product and its environments; its repos stay',
  ...needs('org-admin'),
  request: { params: ProductParams },
  responses: { 202: answer('The Product, which is being deleted', ProductView), ...problems(401, 403, 404, 409, 503) },
});

export function deleteProduct(app: App, { store, temporal }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, product: name } = c.req.valid('param');
    const product = await getProductOf(store, { org, product: name });
    refuseStale(product, { resourceVersion: ifMatch(c) });
    const input: DeleteProductInput = { org, product: name, by: c.get('caller').email };
    await speaking(temporal, () =>
      temporal.workflow.start('deleteProduct', {
        taskQueue: defaultTaskQueue,
        workflowId: deleteProductId(input),
        workflowIdConflictPolicy: 'USE_EXISTING',
        args: [input],
        staticSummary: `delete Product ${name} of ${org}`,
        typedSearchAttributes: searchAttributes({ org, product: name, targetKind: 'product' }),
      }),
    );
    return c.json(productView(product, c.get('role')), 202);
  });
}
