import { createRoute } from '@hono/zod-openapi';
import { AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { getOrganization } from '../catalog/org.ts';
import type { App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { readPage } from '../read-page.ts';
import { showList } from '../show-list.ts';
import { answer, listSchema, OrgParams, PageQuery } from '../views.ts';
import { AgentWorkflowView, agentWorkflowView } from './schemas.ts';

const route = createRoute({
  operationId: 'listAgentWorkflows',
  method: 'get',
  path: '/v1/orgs/{org}/agentworkflows',
  tags: ['Agents'],
  summary: 'List the AgentWorkflows of an org',
  ...needs('viewer'),
  request: { params: OrgParams, query: PageQuery },
  responses: { 200: answer('The AgentWorkflows', listSchema(AgentWorkflowView)), ...problems(401, 403, 404, 422) },
});

export function listAgentWorkflows(app: App): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    return await showList(c, async (heard) => {
      await getOrganization(heard, org);
      const { items, ...page } = await readPage(heard, AgentWorkflowKind, {
        namespace: orgNamespace(org),
        ...c.req.valid('query'),
      });
      return { items: items.map((item) => agentWorkflowView(item, c.get('role'))), ...page };
    });
  });
}
