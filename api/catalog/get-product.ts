import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { tagged } from '../read-page.ts';
import { answer, ProductParams } from '../views.ts';
import { getProductOf } from './product.ts';
import { ProductView, productView } from './schemas.ts';

const route = createRoute({
  operationId: 'getProduct',
  method: 'get',
  path: '/v1/orgs/{org}/products/{product}',
  tags: ['Products'],
  summary: 'Read a Product',
  ...needs('viewer'),
  request: { params: ProductParams },
  responses: { 200: answer('The Product', ProductView), ...problems(401, 403, 404) },
});

export function getProduct(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const product = await getProductOf(store, c.req.valid('param'));
    tagged(c, product.metadata.resourceVersion);
    return c.json(productView(product, c.get('role')), 200);
  });
}
