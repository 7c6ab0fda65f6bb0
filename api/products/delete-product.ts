import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { acceptsPreconditions, assertCurrent, readPrecondition } from '../http/preconditions.ts';
import { jsonResponse, ProductParams } from '../http/views.ts';
import { getProductByName } from './product.ts';
import { ProductView, toProductView } from './schemas.ts';
import { startProductDeletion } from '../../src/reconcile/start-product-deletion.ts';

const route = createRoute({
  operationId: 'deleteProduct',
  method: 'delete',
  path: '/v1/orgs/{org}/products/{product}',
  tags: ['Products'],
  summary: 'Delete a Product',
  description:
    'Cancels its runs and Releases, and deletes its zones with everything stored in them. The deletion continues after the response; the repos are kept.',
  ...requireRole('org-admin'),
  ...acceptsPreconditions,
  request: { params: ProductParams },
  responses: {
    202: jsonResponse('The Product, marked as being deleted', ProductView),
    ...problems(401, 403, 404, 409),
  },
});

export function deleteProduct(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, product: name } = c.req.valid('param');
    const product = await getProductByName(deps.store, { org, product: name });
    assertCurrent(product, readPrecondition(c));
    const marked = await startProductDeletion(deps, { org, product: name, by: c.get('caller').email });
    return c.json(toProductView(marked, c.get('role')), 202);
  });
}
