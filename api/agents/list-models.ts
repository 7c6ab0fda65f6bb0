import { createRoute, z } from '@hono/zod-openapi';
import { ModelPrice } from '../../src/rules/agents/model-prices.ts';
import { getOrganization } from '../catalog/org.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { cutPage } from '../read-page.ts';
import { answer, listSchema, OrgParams, PageQuery } from '../views.ts';

const OfferedModelView = z
  .object({
    model: z.string(),
    isDefault: z.boolean().openapi({ description: 'AgentRoles use it that name no other.' }),
    contextTokens: z.int().optional(),
    price: ModelPrice.extend({
      source: z.enum(['org', 'known']).openapi({ description: 'Set by the org, or from the table of known prices.' }),
    }).optional(),
  })
  .openapi('OfferedModel');

const route = createRoute({
  operationId: 'listModels',
  method: 'get',
  path: '/v1/orgs/{org}/models',
  tags: ['Agents'],
  summary: 'List the models that the provider of an org offers, with what is known of them',
  ...needs('viewer'),
  request: { params: OrgParams, query: PageQuery },
  responses: { 200: answer('The models', listSchema(OfferedModelView)), ...problems(401, 403, 404, 422, 503) },
});

export function listModels(app: App, { store, models }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    await getOrganization(store, org);
    return c.json(
      cutPage(await models.offered(org), ({ model }) => model, c.req.valid('query')),
      200,
    );
  });
}
