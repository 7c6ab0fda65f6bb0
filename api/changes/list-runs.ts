import { createRoute, z } from '@hono/zod-openapi';
import { AgentWorkflowRunKind, runPhases } from '../../src/rules/changes/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import { getOrganization } from '../orgs/org.ts';
import type { ApiDeps, App } from '../deps.ts';
import { matchesFilter } from '../http/matches-filter.ts';
import { streamEvents, acceptsEventStream } from '../http/event-stream.ts';
import { requireRole } from '../auth/require-role.ts';
import { getViewer } from '../auth/viewer.ts';
import { problems } from '../http/problem.ts';
import { readPage } from '../http/pagination.ts';
import { respondCached } from '../http/respond-cached.ts';
import { jsonOrEventStream, listSchema, OrgParams, PageQuery } from '../http/views.ts';
import { relatedReleases, buildRunSummaryView } from './run-view.ts';
import { RunSummaryView } from './schemas.ts';

const route = createRoute({
  operationId: 'listRuns',
  method: 'get',
  path: '/v1/orgs/{org}/agentworkflowruns',
  tags: ['Changes'],
  summary: 'List the AgentWorkflowRuns of an org',
  description: 'With `Accept: text/event-stream`, streams the runs and their updates.',
  ...requireRole('viewer'),
  request: {
    params: OrgParams,
    query: PageQuery.extend({
      product: z.string().optional().describe('Only runs of this Product.'),
      phase: z.enum(runPhases).optional().describe('Only runs in this phase.'),
    }),
  },
  responses: { 200: jsonOrEventStream('The runs', listSchema(RunSummaryView)), ...problems(401, 403, 404, 422, 429) },
});

export function listRuns(app: App, deps: ApiDeps): void {
  const { store } = deps;
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { product, phase, ...page } = c.req.valid('query');
    const namespace = orgNamespace(org);
    const fields = {
      ...(product !== undefined && { 'spec.product': product }),
      ...(phase !== undefined && { 'status.phase': phase }),
    };
    if (acceptsEventStream(c)) {
      await getOrganization(store, org);
      return streamEvents(c, deps, {
        kind: AgentWorkflowRunKind,
        watch: { namespace },
        list: () => cachedReads(store).list(AgentWorkflowRunKind, { namespace, fields }),
        toView: async (run) =>
          matchesFilter(run, { product, phase })
            ? buildRunSummaryView(cachedReads(store), run, getViewer(c, org))
            : undefined,
        related: [relatedReleases(cachedReads(store), org)],
      });
    }
    return await respondCached(c, async (reads) => {
      await getOrganization(reads, org);
      const { items, ...rest } = await readPage(reads, AgentWorkflowRunKind, { namespace, fields, ...page });
      const viewer = getViewer(c, org);
      return { items: await Promise.all(items.map((run) => buildRunSummaryView(reads, run, viewer))), ...rest };
    });
  });
}
