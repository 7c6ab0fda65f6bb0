import { createRoute, type z } from '@hono/zod-openapi';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, OrgParams } from '../http/views.ts';
import { getOrganization } from '../orgs/org.ts';
import { createMeasurements, type Measurements } from './measurements.ts';
import { SloSummariesView, type SloSummaryView, type SloView } from './schemas.ts';
import { toSloViews } from './to-slo-views.ts';

const route = createRoute({
  operationId: 'listSloSummaries',
  method: 'get',
  path: '/v1/orgs/{org}/slos',
  tags: ['Observability'],
  summary: 'List how many objectives each Product of an org meets',
  description:
    'Counts the objectives of the Products that have SLOs. Prometheus is asked once about all of them; without it, the state of each Product is `unavailable`. The figures are at most 15 seconds older than those of Prometheus.',
  ...requireRole('viewer'),
  request: { params: OrgParams },
  responses: { 200: jsonResponse('Each Product with SLOs', SloSummariesView), ...problems(401, 403, 404) },
});

export function listSloSummaries(app: App, { store, monitoring, config }: ApiDeps): void {
  const readMeasurements = createMeasurements(monitoring);
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    await getOrganization(store, org);
    const { items } = await cachedReads(store).list(ProductKind, { namespace: orgNamespace(org) });
    const products = items.filter(({ spec }) => (spec.slos ?? []).length > 0);
    const measurements: Measurements = products.length > 0 ? await readMeasurements({ org }) : { samples: [] };
    const byProduct = groupByProduct(measurements);
    const summaries = products.map((product) => {
      const { name } = product.metadata;
      return summarize(name, toSloViews(product, byProduct(name), config.metricsRetentionMs));
    });
    return c.json({ items: summaries }, 200);
  });
}

function groupByProduct(measurements: Measurements): (product: string) => Measurements {
  if ('unavailable' in measurements) return () => measurements;
  const grouped = Map.groupBy(measurements.samples, ({ labels }) => labels['product'] ?? '');
  return (product) => ({ samples: grouped.get(product) ?? [] });
}

const byUrgency = ['spent', 'burning', 'unavailable', 'no-traffic', 'meeting'] as const;

function summarize(product: string, slos: z.infer<typeof SloView>[]): z.infer<typeof SloSummaryView> {
  const count = (state: (typeof byUrgency)[number]): number => slos.filter((slo) => slo.state === state).length;
  return {
    product,
    state: byUrgency.find((state) => count(state) > 0) ?? 'no-traffic',
    met: count('meeting'),
    total: slos.length,
  };
}
