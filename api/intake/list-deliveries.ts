import { createRoute } from '@hono/zod-openapi';
import { AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { agentWorkflowLabel, DeliveryKind } from '../../src/rules/intake/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { readPage } from '../read-page.ts';
import { showList } from '../show-list.ts';
import { answer, listSchema, NamedParams, PageQuery } from '../views.ts';
import { DeliveryView } from './schemas.ts';

const route = createRoute({
  operationId: 'listDeliveries',
  method: 'get',
  path: '/v1/orgs/{org}/agentworkflows/{name}/deliveries',
  tags: ['Agents'],
  summary: 'List what the last events of the code host started of an AgentWorkflow, or why they did not',
  ...needs('viewer'),
  request: { params: NamedParams, query: PageQuery },
  responses: { 200: answer('The deliveries, newest first', listSchema(DeliveryView)), ...problems(401, 403, 404, 422) },
});

export function listDeliveries(app: App): void {
  app.openapi(route, async (c) => {
    const { org, name } = c.req.valid('param');
    const namespace = orgNamespace(org);
    const labels = { [agentWorkflowLabel]: name };
    return await showList(c, async (heard) => {
      await heard.get(AgentWorkflowKind, { namespace, name });
      const { items, ...page } = await readPage(heard, DeliveryKind, { namespace, labels, ...c.req.valid('query') });
      return { items: items.map(({ spec }) => spec), ...page };
    });
  });
}
