import { createRoute } from '@hono/zod-openapi';
import type { TypedResponse } from 'hono';
import { requireRole } from '../auth/require-role.ts';
import type { App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, ProductParams } from '../http/views.ts';
import { getReadablePage, respondStatusPage } from './respond-status-page.ts';
import { StatusPageView } from './schemas.ts';
import type { StatusPageCache } from './status-page-cache.ts';

const route = createRoute({
  operationId: 'getStatusPage',
  method: 'get',
  path: '/v1/status/{org}/{product}',
  tags: ['Products'],
  summary: 'Get the status page of a Product',
  description:
    'Returns the zones, SLOs and incidents that users of the Product may know, without people and internal texts. Anyone can read a public page, and every signed-in person any page; otherwise the operation fails with 404, as for a Product that does not exist. While the store is unavailable, it returns the last page with its time in `asOf`.',
  ...requireRole('anyone'),
  request: { params: ProductParams },
  responses: { 200: jsonResponse('The status page', StatusPageView), ...problems(404) },
});

export function getStatusPage(app: App, cache: StatusPageCache): void {
  app.openapi(route, async (c) => {
    const { json, isPublic } = await getReadablePage(c, cache, c.req.valid('param'));
    return (await respondStatusPage(c, json, { isPublic })) as Response & TypedResponse<never, 200, 'json'>;
  });
}
