import { createRoute } from '@hono/zod-openapi';
import { ProductKind } from '../../src/rules/catalog/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { readPage } from '../read-page.ts';
import { showList } from '../show-list.ts';
import { answer, listSchema, OrgParams, PageQuery } from '../views.ts';
import { getOrganization } from './org.ts';
import { ProductView, productView } from './schemas.ts';

const route = createRoute({
  operationId: 'listProducts',
  method: 'get',
  path: '/v1/orgs/{org}/products',
  tags: ['Products'],
  summary: 'List the Products of an org',
  ...needs('viewer'),
  request: { params: OrgParams, query: PageQuery },
  responses: { 200: answer('The Products', listSchema(ProductView)), ...problems(401, 403, 404, 422) },
});

export function listProducts(app: App): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    return await showList(c, async (heard) => {
      await getOrganization(heard, org);
      const { items, ...page } = await readPage(heard, ProductKind, {
        namespace: orgNamespace(org),
        ...c.req.valid('query'),
      });
      return { items: items.map((product) => productView(product, c.get('role'))), ...page };
    });
  });
}
