import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { ifMatch, refuseStale } from '../read-page.ts';
import { answer, ProductParams } from '../views.ts';
import { getProductOf } from './product.ts';
import { ProductView, productView } from './schemas.ts';
import { startProductDeletion } from './start-product-deletion.ts';

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

export function deleteProduct(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, product: name } = c.req.valid('param');
    const product = await getProductOf(deps.store, { org, product: name });
    refuseStale(product, { resourceVersion: ifMatch(c) });
    await startProductDeletion(deps, { org, product: name, by: c.get('caller').email });
    return c.json(productView(product, c.get('role')), 202);
  });
}
