import { createRoute } from '@hono/zod-openapi';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { listQuery, matchesListQuery } from '../http/list-query.ts';
import { readPage } from '../http/pagination.ts';
import { respondCached } from '../http/respond-cached.ts';
import { jsonResponse, listSchema, OrgParams } from '../http/views.ts';
import { getOrganization } from '../orgs/org.ts';
import { ProductView, toProductView } from './schemas.ts';

const route = createRoute({
  operationId: 'listProducts',
  method: 'get',
  path: '/v1/orgs/{org}/products',
  tags: ['Products'],
  summary: 'List the Products of an org',
  description: 'Returns each Product with its zones and the versions that run in them, in the order of their names.',
  ...requireRole('viewer'),
  request: { params: OrgParams, query: listQuery('name') },
  responses: { 200: jsonResponse('The Products', listSchema(ProductView)), ...problems(401, 403, 404, 422) },
});

export function listProducts(app: App): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const query = c.req.valid('query');
    return await respondCached(c, async (reads) => {
      await getOrganization(reads, org);
      const { items, ...page } = await readPage(c, reads, ProductKind, {
        namespace: orgNamespace(org),
        query,
        matches: (item) => matchesListQuery(item, query),
      });
      return { items: items.map((product) => toProductView(product, c.get('role'))), ...page };
    });
  });
}
