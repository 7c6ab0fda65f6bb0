import { createRoute } from '@hono/zod-openapi';
import { getSloWindow } from '../../src/rules/slos/slo-window.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, ProductParams } from '../http/views.ts';
import { getProductByName } from '../products/product.ts';
import { createMeasurements, type Measurements } from './measurements.ts';
import { SlosView } from './schemas.ts';
import { toSloViews } from './to-slo-views.ts';

const route = createRoute({
  operationId: 'listSlos',
  method: 'get',
  path: '/v1/orgs/{org}/products/{product}/slos',
  tags: ['Observability'],
  summary: 'List the SLOs of a Product',
  description:
    'Returns each SLO in each zone that it measures. Without Prometheus, the state of each SLO is `unavailable`. The figures are at most 15 seconds older than those of Prometheus.',
  ...requireRole('viewer'),
  request: { params: ProductParams },
  responses: { 200: jsonResponse('Each SLO in each zone', SlosView), ...problems(401, 403, 404) },
});

export function listSlos(app: App, { store, monitoring, config }: ApiDeps): void {
  const readMeasurements = createMeasurements(monitoring);
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const product = await getProductByName(store, ref);
    const slos = product.spec.slos ?? [];
    const measurements: Measurements = slos.length > 0 ? await readMeasurements(ref) : { samples: [] };
    const items = toSloViews(product, measurements, config.metricsRetentionMs);
    return c.json({ items, windowMax: getSloWindow({}, config.metricsRetentionMs) }, 200);
  });
}
