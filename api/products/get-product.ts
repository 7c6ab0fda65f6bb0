import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { setETag } from '../http/preconditions.ts';
import { jsonResponse, ProductParams } from '../http/views.ts';
import { getProductByName } from './product.ts';
import { ProductView, toProductView } from './schemas.ts';

const route = createRoute({
  operationId: 'getProduct',
  method: 'get',
  path: '/v1/orgs/{org}/products/{product}',
  tags: ['Products'],
  summary: 'Get a Product',
  description: 'Returns the Product with the status of its zones and the operations that the caller can perform on it.',
  ...requireRole('viewer'),
  request: { params: ProductParams },
  responses: { 200: jsonResponse('The Product', ProductView), ...problems(401, 403, 404) },
});

export function getProduct(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const product = await getProductByName(store, c.req.valid('param'));
    setETag(c, product.metadata.resourceVersion);
    return c.json(toProductView(product, c.get('role')), 200);
  });
}
