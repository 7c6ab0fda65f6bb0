import { createRoute, z } from '@hono/zod-openapi';
import { AgentWorkflowRunKind, runPhases, type AgentWorkflowRun } from '../../src/rules/changes/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { lastHeard } from '../../src/store/last-heard.ts';
import { getOrganization } from '../catalog/org.ts';
import type { ApiDeps, App } from '../deps.ts';
import { follow, wantsToFollow } from '../follow.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { readPage } from '../read-page.ts';
import { showList } from '../show-list.ts';
import { followable, listSchema, OrgParams, PageQuery } from '../views.ts';
import { releasesOfRuns, runItem } from './run-view.ts';
import { RunItem } from './schemas.ts';

const route = createRoute({
  operationId: 'listRuns',
  method: 'get',
  path: '/v1/orgs/{org}/agentworkflowruns',
  tags: ['Changes'],
  summary: 'List the AgentWorkflowRuns of an org, or follow them',
  ...needs('viewer'),
  request: {
    params: OrgParams,
    query: PageQuery.extend({ product: z.string().optional(), phase: z.enum(runPhases).optional() }),
  },
  responses: { 200: followable('The runs', listSchema(RunItem)), ...problems(401, 403, 404, 422) },
});

export function listRuns(app: App, deps: ApiDeps): void {
  const { store } = deps;
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { product, phase, ...page } = c.req.valid('query');
    const viewer = { org, role: c.get('role') };
    const namespace = orgNamespace(org);
    const fields = {
      ...(product !== undefined && { 'spec.product': product }),
      ...(phase !== undefined && { 'status.phase': phase }),
    };
    if (wantsToFollow(c)) {
      await getOrganization(store, org);
      return follow(c, deps, {
        kind: AgentWorkflowRunKind,
        watch: { namespace },
        current: () => lastHeard(store).list(AgentWorkflowRunKind, { namespace, fields }),
        show: async (run) => (fits(run, product, phase) ? runItem(lastHeard(store), run, viewer) : undefined),
        also: [releasesOfRuns(lastHeard(store), org)],
      });
    }
    return await showList(c, async (heard) => {
      await getOrganization(heard, org);
      const { items, ...rest } = await readPage(heard, AgentWorkflowRunKind, { namespace, fields, ...page });
      return { items: await Promise.all(items.map((run) => runItem(heard, run, viewer))), ...rest };
    });
  });
}

function fits({ spec, status }: AgentWorkflowRun, product: string | undefined, phase: string | undefined): boolean {
  return (product === undefined || spec.product === product) && (phase === undefined || status?.phase === phase);
}
