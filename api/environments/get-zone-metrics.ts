import { createRoute, z } from '@hono/zod-openapi';
import { amountOf } from '../../src/rules/environments/quantities.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer, ZoneParams } from '../views.ts';
import { ZoneMetricsView } from './schemas.ts';
import { reservationsOf } from './zone-details.ts';
import { readZone } from './zone.ts';

const MetricsQuery = z.strictObject({
  hours: z.coerce.number().int().min(1).max(168).default(1).openapi({ description: 'How far back.' }),
});

const route = createRoute({
  operationId: 'getZoneMetrics',
  method: 'get',
  path: '/v1/orgs/{org}/products/{product}/zones/{zone}/metrics',
  tags: ['Zones'],
  summary: 'Read what the pods of a zone used of CPU, memory and network',
  ...needs('viewer'),
  request: { params: ZoneParams, query: MetricsQuery },
  responses: { 200: answer('A series for each pod', ZoneMetricsView), ...problems(401, 403, 404, 422, 503) },
});

/** A chart's worth of points, whatever the window. */
const pointsPerSeries = 240;
const hourSeconds = 3_600;

export function getZoneMetrics(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { hours } = c.req.valid('query');
    const view = await readZone(c, deps, c.req.valid('param'));
    const to = deps.now();
    const from = new Date(to.getTime() - hours * hourSeconds * 1_000);
    const stepSeconds = (hours * hourSeconds) / pointsPerSeries;
    const series = await deps.telemetry.series(view.name, { from, to, stepSeconds });
    const { cpu, memoryLimit } = reservationsOf(view);
    return c.json(
      {
        from: from.toISOString(),
        to: to.toISOString(),
        stepSeconds,
        pods: series.map(({ pod, points }) => ({ name: pod, points })),
        cpuReservationCores: cpu === undefined ? undefined : amountOf(cpu),
        memoryLimitBytes: memoryLimit === undefined ? undefined : amountOf(memoryLimit),
      },
      200,
    );
  });
}
