import { createRoute } from '@hono/zod-openapi';
import { AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { getOrganization } from '../orgs/org.ts';
import type { App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { listQuery, matchesListQuery } from '../http/list-query.ts';
import { readPage } from '../http/pagination.ts';
import { respondCached } from '../http/respond-cached.ts';
import { jsonResponse, listSchema, OrgParams } from '../http/views.ts';
import { AgentWorkflowView, toAgentWorkflowView } from './schemas.ts';

const route = createRoute({
  operationId: 'listAgentWorkflows',
  method: 'get',
  path: '/v1/orgs/{org}/agentworkflows',
  tags: ['Agents'],
  summary: 'List the AgentWorkflows of an org',
  description: 'Returns the AgentWorkflows with their triggers, steps and schedules.',
  ...requireRole('viewer'),
  request: { params: OrgParams, query: listQuery('name') },
  responses: {
    200: jsonResponse('The AgentWorkflows', listSchema(AgentWorkflowView)),
    ...problems(401, 403, 404, 422),
  },
});

export function listAgentWorkflows(app: App): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const query = c.req.valid('query');
    return await respondCached(c, async (reads) => {
      await getOrganization(reads, org);
      const { items, ...page } = await readPage(c, reads, AgentWorkflowKind, {
        namespace: orgNamespace(org),
        query,
        matches: (item) => matchesListQuery(item, query),
      });
      return { items: items.map((item) => toAgentWorkflowView(item, c.get('role'))), ...page };
    });
  });
}
