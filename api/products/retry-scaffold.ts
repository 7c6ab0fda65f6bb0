import { createRoute } from '@hono/zod-openapi';
import { ServiceError } from '../../src/errors.ts';
import { startScaffold } from '../../src/reconcile/start-scaffold.ts';
import { scaffoldRetryViolation } from '../../src/rules/products/scaffold-retry-violation.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, ProductParams } from '../http/views.ts';
import { getActiveProduct } from './product.ts';
import { ProductView, toProductView } from './schemas.ts';

const route = createRoute({
  operationId: 'retryScaffold',
  method: 'post',
  path: '/v1/orgs/{org}/products/{product}/scaffold/retry',
  tags: ['Products'],
  summary: 'Retry the creation of a Product’s repo',
  description:
    'Continues after the last step that succeeded, also if that was the creation of the repo. Fails with 409 unless `status.scaffold.phase` is `Failed`.',
  ...requireRole('org-admin'),
  request: { params: ProductParams },
  responses: {
    202: jsonResponse('The Product, whose repo is being created', ProductView),
    ...problems(401, 403, 404, 409),
  },
});

export function retryScaffold(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const product = await getActiveProduct(deps.store, c.req.valid('param'));
    const violation = scaffoldRetryViolation(product);
    if (violation !== undefined) throw new ServiceError('scaffold-not-retryable', violation);
    await startScaffold(deps, product);
    return c.json(toProductView(product, c.get('role')), 202);
  });
}
