import { createRoute, z } from '@hono/zod-openapi';
import { isGatePod } from '../../src/rules/environments/gate-pods.ts';
import { parseQuantity } from '../../src/rules/environments/parse-quantity.ts';
import { getZoneNamespaceState } from '../../src/store/zone-namespace.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { decimal, jsonResponse, ZoneParams } from '../http/views.ts';
import { ZoneMetricsView } from './schemas.ts';
import { findZoneCluster, toZoneResources } from './zone-details.ts';
import { getZoneView } from './zone.ts';

const MetricsQuery = z.strictObject({
  hours: decimal({ min: 1, max: 168 })
    .default(1)
    .openapi({ description: 'Time window in hours, through now.', default: 1 }),
});

const route = createRoute({
  operationId: 'getZoneMetrics',
  method: 'get',
  path: '/v1/orgs/{org}/products/{product}/zones/{zone}/metrics',
  tags: ['Zones'],
  summary: 'Get the CPU, memory and network usage of a zone',
  description: 'Returns one series per pod. Fails with 503 if the metrics source cannot be reached.',
  ...requireRole('viewer'),
  request: { params: ZoneParams, query: MetricsQuery },
  responses: { 200: jsonResponse('One series per pod', ZoneMetricsView), ...problems(401, 403, 404, 422) },
});

/** A fixed number of points keeps the response small for every time window. */
const pointsPerSeries = 240;
const hourSeconds = 3_600;

export function getZoneMetrics(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { hours } = c.req.valid('query');
    const ref = c.req.valid('param');
    const view = await getZoneView(c, deps, ref);
    const to = deps.now();
    const from = new Date(to.getTime() - hours * hourSeconds * 1_000);
    const stepSeconds = (hours * hourSeconds) / pointsPerSeries;
    const cluster = await findZoneCluster(deps, view.spec?.cluster);
    const isOwn = cluster && (await getZoneNamespaceState(deps.store, ref, cluster.objects)) === 'own';
    const all = isOwn ? await cluster.telemetry.querySeries(view.name, { from, to, stepSeconds }) : [];
    const series = all.filter(({ pod }) => !isGatePod({ product: view.product, pod }));
    const { cpu, memoryLimit } = toZoneResources(view);
    return c.json(
      {
        from: from.toISOString(),
        to: to.toISOString(),
        stepSeconds,
        pods: series.map(({ pod, points }) => ({ name: pod, points })),
        cpuRequestCores: cpu === undefined ? undefined : parseQuantity(cpu),
        memoryLimitBytes: memoryLimit === undefined ? undefined : parseQuantity(memoryLimit),
      },
      200,
    );
  });
}
