import { createRoute, z } from '@hono/zod-openapi';
import { notFound } from '../../src/errors.ts';
import { ZoneName } from '../../src/rules/names.ts';
import { toErrorThreshold } from '../../src/rules/slos/error-budget.ts';
import { formatSelector, toRatioName, toSloLabels } from '../../src/rules/slos/slo-labels.ts';
import { getSloWindow, toWindowSeconds } from '../../src/rules/slos/slo-window.ts';
import { findSloZones } from '../../src/rules/slos/to-prometheus-rule.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, ProductParams } from '../http/views.ts';
import { getProductByName } from '../products/product.ts';
import { SloBudgetView } from './schemas.ts';

const BudgetParams = ProductParams.extend({
  slo: z
    .string()
    .max(40)
    .openapi({ param: { name: 'slo', in: 'path' }, description: 'Name of the SLO.' }),
});

const route = createRoute({
  operationId: 'getSloBudget',
  method: 'get',
  path: '/v1/orgs/{org}/products/{product}/slos/{slo}/budget',
  tags: ['Observability'],
  summary: 'Get the error budget of an SLO over time',
  description:
    'Returns how much of the budget was left in one zone during the window of the SLO. Fails with 503 if Prometheus cannot be reached.',
  ...requireRole('viewer'),
  request: {
    params: BudgetParams,
    query: z.strictObject({ zone: ZoneName.describe('Zone that the SLO measures.') }),
  },
  responses: { 200: jsonResponse('Budget over time', SloBudgetView), ...problems(401, 403, 404, 422) },
});

/** A fixed number of points keeps the response small for every window. */
const pointsMax = 200;

export function getSloBudget(app: App, { store, monitoring, config, now }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, product: name, slo: sloName } = c.req.valid('param');
    const { zone } = c.req.valid('query');
    const { spec } = await getProductByName(store, { org, product: name });
    const slo = spec.slos?.find((one) => one.name === sloName);
    if (!slo) throw notFound('SLO', sloName, `Product "${name}"`);
    if (!findSloZones(slo, spec).includes(zone)) throw notFound('zone', zone, `the zones of SLO "${sloName}"`);
    const window = getSloWindow(slo, config.metricsRetentionMs);
    const to = now();
    const from = new Date(to.getTime() - toWindowSeconds(window) * 1_000);
    const query = `${toRatioName(window)}${formatSelector(toSloLabels({ org, product: name, zone }, sloName))}`;
    const stepSeconds = toWindowSeconds(window) / pointsMax;
    const [series] = await monitoring.queryRange(query, { from, to, stepSeconds });
    const budget = toErrorThreshold(slo.objective);
    const points = (series?.points ?? []).filter(({ value }) => Number.isFinite(value));
    return c.json(
      {
        points: points.map(({ at, value }) => ({ at: at.toISOString(), budgetLeft: 1 - value / budget })),
      },
      200,
    );
  });
}
