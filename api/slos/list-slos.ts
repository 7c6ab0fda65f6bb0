import { createRoute, type z } from '@hono/zod-openapi';
import type { Product } from '../../src/rules/products/kinds.ts';
import { judgeSlo } from '../../src/rules/slos/judge-slo.ts';
import type { SloSpec } from '../../src/rules/slos/kinds.ts';
import { findSloWindow } from '../../src/rules/slos/slo-window.ts';
import { toMeasurement } from '../../src/rules/slos/to-measurement.ts';
import { findSloZones } from '../../src/rules/slos/to-prometheus-rule.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, ProductParams } from '../http/views.ts';
import { getProductByName } from '../products/product.ts';
import { createMeasurements, type Measurements } from './measurements.ts';
import { SlosView, type SloView } from './schemas.ts';

const route = createRoute({
  operationId: 'listSlos',
  method: 'get',
  path: '/v1/orgs/{org}/products/{product}/slos',
  tags: ['Slos'],
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
    const items = slos.flatMap((slo) => {
      const window = findSloWindow(slo, config.metricsRetentionMs);
      return findSloZones(slo, product.spec).map((zone) => toSloView(product, { slo, zone, window }, measurements));
    });
    return c.json({ items, windowMax: findSloWindow({}, config.metricsRetentionMs) }, 200);
  });
}

function toSloView(
  { status }: Product,
  { slo, zone, window }: { slo: SloSpec; zone: string; window: string },
  measurements: Measurements,
): z.infer<typeof SloView> {
  const { name, description, objective, indicator } = slo;
  const issues = (status?.observability?.slos ?? []).filter((issue) => issue.name === name && issue.zone === zone);
  return {
    name,
    zone,
    ...(description !== undefined && { description }),
    objective,
    window,
    indicator: indicator.latency ? 'latency' : 'availability',
    ...(indicator.latency && { thresholdSeconds: Number(indicator.latency.threshold) }),
    issues: issues.map(({ message }) => message),
    ...judge({ slo, zone, window }, measurements),
  };
}

function judge({ slo, zone, window }: { slo: SloSpec; zone: string; window: string }, measurements: Measurements) {
  if ('unavailable' in measurements) return { state: 'unavailable' as const, message: measurements.unavailable };
  const { requestsPerSecond, ...measurement } = toMeasurement(measurements.samples, { slo: slo.name, zone, window });
  return {
    ...judgeSlo(slo.objective, measurement),
    ...(requestsPerSecond !== undefined && { requestsPerSecond }),
  };
}
