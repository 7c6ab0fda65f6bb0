import { createRoute, z } from '@hono/zod-openapi';
import { ModelPrice } from '../../src/rules/agents/model-prices.ts';
import { getOrganization } from '../orgs/org.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { paginate } from '../http/pagination.ts';
import { jsonResponse, listSchema, OrgParams, PageQuery } from '../http/views.ts';

const OfferedModelView = z
  .object({
    model: z.string().describe('Name of the model, which `AgentRole.spec.model` takes.'),
    isDefault: z.boolean().openapi({ description: 'True if AgentRoles without a model use it.' }),
    contextTokens: z.int().optional().describe('Size of the context in tokens.'),
    price: ModelPrice.extend({
      source: z.enum(['org', 'built-in']).openapi({ description: 'Set by the org, or from the built-in price table.' }),
    })
      .optional()
      .describe('Price of the model; absent if it is not known.'),
  })
  .openapi('OfferedModel');

const route = createRoute({
  operationId: 'listModels',
  method: 'get',
  path: '/v1/orgs/{org}/models',
  tags: ['Agents'],
  summary: 'List the models of an org’s provider',
  description:
    'Includes the context size and the price of a model if they are known. Fails with 503 if the provider cannot be reached.',
  ...requireRole('viewer'),
  request: { params: OrgParams, query: PageQuery },
  responses: { 200: jsonResponse('The models', listSchema(OfferedModelView)), ...problems(401, 403, 404, 422) },
});

export function listModels(app: App, { store, models }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    await getOrganization(store, org);
    return c.json(
      paginate(c, await models.listOffered(org), {
        toPosition: ({ model }) => [model],
        query: c.req.valid('query'),
      }),
      200,
    );
  });
}
