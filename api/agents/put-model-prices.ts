import { createRoute, z } from '@hono/zod-openapi';
import { invalid } from '../../src/errors.ts';
import { ModelPrices, modelPricesName } from '../../src/rules/agents/model-prices.ts';
import { ConfigMapKind } from '../../src/rules/core-kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { getOrganization } from '../catalog/org.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer, body, OrgParams } from '../views.ts';

const PricesBody = z.strictObject({ prices: ModelPrices });

const route = createRoute({
  operationId: 'putModelPrices',
  method: 'put',
  path: '/v1/orgs/{org}/models/prices',
  tags: ['Agents'],
  summary: 'Set what models cost an org; what was spent before keeps its price',
  ...needs('org-admin'),
  request: { params: OrgParams, body: body(PricesBody) },
  responses: { 200: answer('The prices', PricesBody), ...problems(400, 401, 403, 404, 409, 413, 415, 422) },
});

export function putModelPrices(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { prices } = c.req.valid('json');
    await getOrganization(store, org);
    const names = prices.map(({ model }) => model);
    const twice = names.findIndex((name, at) => names.indexOf(name) !== at);
    if (twice !== -1)
      throw invalid(`The model "${names[twice]}" has two prices.`, [
        { pointer: `/prices/${twice}/model`, detail: 'has a price already' },
      ]);
    const metadata = { namespace: orgNamespace(org), name: modelPricesName };
    const data = { prices: JSON.stringify(prices) };
    const before = await store.find(ConfigMapKind, metadata);
    if (before) await store.replace(ConfigMapKind, { ...before, data });
    else await store.create(ConfigMapKind, { metadata, data });
    return c.json({ prices }, 200);
  });
}
