import { createRoute, z } from '@hono/zod-openapi';
import { invalid } from '../../src/errors.ts';
import {
  type ModelPrice,
  ModelPrices,
  modelPricesConfigMapName,
  modelPricesMax,
  parseModelPrices,
  UnsetPrices,
} from '../../src/rules/agents/model-prices.ts';
import { applyObject } from '../../src/store/apply-object.ts';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { getOrganization } from '../orgs/org.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, body, OrgParams } from '../http/views.ts';

const PricesBody = z.strictObject({
  prices: ModelPrices.describe('Prices of these models, which take precedence over the built-in ones.'),
  unset: UnsetPrices.optional().describe('Models to reset to their built-in price.'),
});
const PricesView = z.object({ prices: ModelPrices.describe('All prices that the org sets.') });

const route = createRoute({
  operationId: 'putModelPrices',
  method: 'put',
  path: '/v1/orgs/{org}/models/prices',
  tags: ['Agents'],
  summary: 'Set the model prices of an org',
  description:
    'Sets the prices of these models. The prices of other models stay, and past turns keep the price at which they ran.',
  ...requireRole('org-admin'),
  request: { params: OrgParams, body: body(PricesBody) },
  responses: { 200: jsonResponse('The prices', PricesView), ...problems(400, 401, 403, 404, 409, 413, 415, 422) },
});

export function putModelPrices(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { prices, unset = [] } = c.req.valid('json');
    await getOrganization(store, org);
    const names = [...prices.map(({ model }) => model), ...unset];
    const duplicate = names.findIndex((name, index) => names.indexOf(name) !== index);
    if (duplicate !== -1)
      throw invalid(`The model "${names[duplicate]}" is named more than once.`, [
        {
          pointer: duplicate < prices.length ? `/prices/${duplicate}/model` : `/unset/${duplicate - prices.length}`,
          detail: 'is a duplicate',
        },
      ]);
    let all: ModelPrice[] = [];
    await applyObject(store, ConfigMapKind, {
      ref: { namespace: orgNamespace(org), name: modelPricesConfigMapName },
      build: (current) => {
        all = [...parseModelPrices(current?.data).filter(({ model }) => !names.includes(model)), ...prices];
        if (all.length > modelPricesMax)
          throw invalid(`The org would set the prices of ${all.length} models.`, [
            { pointer: '/prices', detail: `would exceed the maximum of ${modelPricesMax} prices: unset some first` },
          ]);
        return { data: { prices: JSON.stringify(all) } };
      },
    });
    return c.json({ prices: all }, 200);
  });
}
