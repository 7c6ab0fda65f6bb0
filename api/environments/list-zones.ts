import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { getViewer } from '../auth/viewer.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, listSchema, ProductParams } from '../http/views.ts';
import { getProductByName } from '../products/product.ts';
import { ZoneView } from './schemas.ts';
import { buildZoneViews } from './zone.ts';

const route = createRoute({
  operationId: 'listZones',
  method: 'get',
  path: '/v1/orgs/{org}/products/{product}/zones',
  tags: ['Zones'],
  summary: 'List the zones of a Product',
  description: 'Returns the zones in promotion order, then zones that are being removed.',
  ...requireRole('viewer'),
  request: { params: ProductParams },
  responses: { 200: jsonResponse('The zones', listSchema(ZoneView)), ...problems(401, 403, 404) },
});

export function listZones(app: App, { store, config }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, product } = c.req.valid('param');
    const items = await buildZoneViews(
      { store, config },
      await getProductByName(store, { org, product }),
      getViewer(c, org),
    );
    return c.json({ items }, 200);
  });
}
