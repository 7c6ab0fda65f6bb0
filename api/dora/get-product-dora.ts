import { createRoute } from '@hono/zod-openapi';
import { computeDora } from '../../src/rules/dora/compute-dora.ts';
import { toDoraWindow } from '../../src/rules/dora/dora-window.ts';
import { findReleaseZones } from '../../src/rules/products/find-release-zones.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, ProductParams } from '../http/views.ts';
import { getProductByName } from '../products/product.ts';
import type { DoraIndex } from './dora-index.ts';
import { toDoraView } from './dora-view.ts';
import { DoraQuery, ProductDoraView } from './schemas.ts';

const route = createRoute({
  operationId: 'getProductDora',
  method: 'get',
  path: '/v1/orgs/{org}/products/{product}/dora',
  tags: ['Observability'],
  summary: 'Get the DORA metrics of a Product',
  description:
    'Computes the four DORA metrics from the Product’s own Promotions, Changes and incidents, each with its rating, its trend and the events behind it.',
  ...requireRole('viewer'),
  request: { params: ProductParams, query: DoraQuery },
  responses: { 200: jsonResponse('The metrics', ProductDoraView), ...problems(401, 403, 404, 422) },
});

export function getProductDora(app: App, { store, now }: ApiDeps, index: DoraIndex): void {
  app.openapi(route, async (c) => {
    const { org, product } = c.req.valid('param');
    const { days } = c.req.valid('query');
    const { spec } = await getProductByName(cachedReads(store), { org, product });
    const releaseZones = findReleaseZones(spec);
    const window = toDoraWindow(now().getTime(), days);
    const records = await index.read(orgNamespace(org));
    const dora = computeDora(records.listEvents(product, releaseZones), window);
    return c.json({ org, product, releaseZones, ...toDoraView(dora, window, days) }, 200);
  });
}
