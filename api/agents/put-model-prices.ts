import { createRoute, z } from '@hono/zod-openapi';
import { invalid } from '../../src/errors.ts';
import { ModelPrices, modelPricesConfigMapName } from '../../src/rules/agents/model-prices.ts';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { getOrganization } from '../orgs/org.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, body, OrgParams } from '../http/views.ts';

const PricesBody = z.strictObject({
  prices: ModelPrices.describe('All prices that the org sets; they take precedence over the built-in prices.'),
});

const route = createRoute({
  operationId: 'putModelPrices',
  method: 'put',
  path: '/v1/orgs/{org}/models/prices',
  tags: ['Agents'],
  summary: 'Set the model prices of an org',
  description: 'Replaces all prices of the org. Turns that have run keep the price at their time.',
  ...requireRole('org-admin'),
  request: { params: OrgParams, body: body(PricesBody) },
  responses: { 200: jsonResponse('The prices', PricesBody), ...problems(400, 401, 403, 404, 409, 413, 415, 422) },
});

export function putModelPrices(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { prices } = c.req.valid('json');
    await getOrganization(store, org);
    const names = prices.map(({ model }) => model);
    const duplicate = names.findIndex((name, index) => names.indexOf(name) !== index);
    if (duplicate !== -1)
      throw invalid(`The model "${names[duplicate]}" has more than one price.`, [
        { pointer: `/prices/${duplicate}/model`, detail: 'is a duplicate' },
      ]);
    const metadata = { namespace: orgNamespace(org), name: modelPricesConfigMapName };
    const data = { prices: JSON.stringify(prices) };
    const before = await store.find(ConfigMapKind, metadata);
    if (before) await store.replace(ConfigMapKind, { ...before, data });
    else await store.create(ConfigMapKind, { metadata, data });
    return c.json({ prices }, 200);
  });
}
