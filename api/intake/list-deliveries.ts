import { createRoute } from '@hono/zod-openapi';
import { AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { agentWorkflowLabel, DeliveryKind } from '../../src/rules/intake/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { readPage } from '../http/pagination.ts';
import { respondCached } from '../http/respond-cached.ts';
import { jsonResponse, listSchema, NamedParams, PageQuery } from '../http/views.ts';
import { DeliveryView } from './schemas.ts';

const route = createRoute({
  operationId: 'listDeliveries',
  method: 'get',
  path: '/v1/orgs/{org}/agentworkflows/{name}/deliveries',
  tags: ['Agents'],
  summary: 'List the deliveries for an AgentWorkflow',
  description:
    'Returns the latest webhook events that concern the AgentWorkflow, with the run each started or the reason it started none.',
  ...requireRole('viewer'),
  request: { params: NamedParams, query: PageQuery },
  responses: {
    200: jsonResponse('The deliveries, newest first', listSchema(DeliveryView)),
    ...problems(401, 403, 404, 422),
  },
});

export function listDeliveries(app: App): void {
  app.openapi(route, async (c) => {
    const { org, name } = c.req.valid('param');
    const namespace = orgNamespace(org);
    const labels = { [agentWorkflowLabel]: name };
    return await respondCached(c, async (reads) => {
      await reads.get(AgentWorkflowKind, { namespace, name });
      const { items, ...page } = await readPage(c, reads, DeliveryKind, {
        namespace,
        labels,
        query: c.req.valid('query'),
      });
      return { items: items.map(({ spec }) => spec), ...page };
    });
  });
}
