import { createRoute, z } from '@hono/zod-openapi';
import { defined } from '../../src/defined.ts';
import { invalid } from '../../src/errors.ts';
import {
  AgentWorkflowRunKind,
  runPhases,
  type AgentWorkflowRun,
  type RunPhase,
} from '../../src/rules/changes/kinds.ts';
import { latestByProduct } from '../../src/rules/changes/latest-by-product.ts';
import { isTerminalRunPhase } from '../../src/rules/changes/run-status.ts';
import { NameLabel, RepoName } from '../../src/rules/names.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import { getOrganization } from '../orgs/org.ts';
import type { ApiDeps, App } from '../deps.ts';
import { listQuery, matchesListQuery, startedByFilter } from '../http/list-query.ts';
import { streamEvents, acceptsEventStream } from '../http/event-stream.ts';
import { requireRole } from '../auth/require-role.ts';
import { getViewer } from '../auth/viewer.ts';
import { problems } from '../http/problem.ts';
import { readPage } from '../http/pagination.ts';
import { respondCached } from '../http/respond-cached.ts';
import { decimal, jsonOrEventStream, listSchema, OrgParams } from '../http/views.ts';
import { relatedReleases, buildRunSummaryView } from './run-view.ts';
import { RunSummaryView } from './schemas.ts';

/** Names for several phases, which the store does not index. */
const phaseGroups = {
  Active: (phase: RunPhase): boolean => !isTerminalRunPhase(phase),
  Waiting: (phase: RunPhase): boolean => phase === 'WaitingForPerson' || phase === 'NeedsGuidance',
};
type PhaseGroup = keyof typeof phaseGroups;
const phaseGroupNames = ['Active', 'Waiting'] satisfies PhaseGroup[];
const isPhaseGroup = (phase: string | undefined): phase is PhaseGroup =>
  phase !== undefined && Object.hasOwn(phaseGroups, phase);
const matchesPhase = (phase: RunPhase, wanted: RunPhase | PhaseGroup): boolean =>
  isPhaseGroup(wanted) ? phaseGroups[wanted](phase) : phase === wanted;

const RunsQuery = listQuery('-createdAt').extend({
  product: NameLabel.optional().describe('Only runs of this Product.'),
  phase: z
    .enum([...runPhases, ...phaseGroupNames])
    .optional()
    .openapi({
      description:
        'Only runs in this phase. `Active` is any phase before the end, and `Waiting` is one that needs a person.',
    }),
  agentWorkflow: NameLabel.optional().describe('Only runs of this AgentWorkflow.'),
  repo: RepoName.optional().openapi({ description: 'Only runs on an issue or pull request of this repo.' }),
  issue: decimal({ min: 1, max: Number.MAX_SAFE_INTEGER })
    .optional()
    .openapi({ description: 'Only runs on the issue or pull request with this number.' }),
  ...startedByFilter,
  latestPer: z
    .enum(['product'])
    .optional()
    .openapi({ description: 'Only the latest matching run of each Product. Not for streams.' }),
});
type RunsQuery = z.infer<typeof RunsQuery>;

const route = createRoute({
  operationId: 'listRuns',
  method: 'get',
  path: '/v1/orgs/{org}/agentworkflowruns',
  tags: ['Changes'],
  summary: 'List the AgentWorkflowRuns of an org',
  description: 'Returns the newest run first. With `Accept: text/event-stream`, streams the runs and their updates.',
  ...requireRole('viewer'),
  request: {
    params: OrgParams,
    query: RunsQuery,
  },
  responses: { 200: jsonOrEventStream('The runs', listSchema(RunSummaryView)), ...problems(401, 403, 404, 422, 429) },
});

export function listRuns(app: App, deps: ApiDeps): void {
  const { store } = deps;
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const query = c.req.valid('query');
    const namespace = orgNamespace(org);
    const fields = toFields(query);
    if (acceptsEventStream(c)) {
      if (query.latestPer !== undefined)
        throw invalid('A stream has every run.', [
          { pointer: '?latestPer', detail: 'is only for lists: leave it out' },
        ]);
      await getOrganization(store, org);
      return streamEvents(c, deps, {
        kind: AgentWorkflowRunKind,
        watch: { namespace },
        list: () => cachedReads(store).list(AgentWorkflowRunKind, { namespace, fields }),
        toView: async (run) =>
          matchesQuery(run, query) ? buildRunSummaryView(cachedReads(store), run, getViewer(c, org)) : undefined,
        related: [relatedReleases(cachedReads(store), org)],
      });
    }
    return await respondCached(c, async (reads) => {
      await getOrganization(reads, org);
      const { items, ...rest } = await readPage(c, reads, AgentWorkflowRunKind, {
        namespace,
        fields,
        query,
        matches: (run) => matchesQuery(run, query),
        choose: query.latestPer === undefined ? undefined : latestByProduct,
      });
      const viewer = getViewer(c, org);
      return { items: await Promise.all(items.map((run) => buildRunSummaryView(reads, run, viewer))), ...rest };
    });
  });
}

/** The conditions that the store finds by an index. */
const toFields = ({ product, phase, agentWorkflow, repo, issue }: RunsQuery): Record<string, string> =>
  defined({
    'spec.product': product,
    'status.phase': isPhaseGroup(phase) ? undefined : phase,
    'spec.agentWorkflow': agentWorkflow,
    'spec.target.repo': repo,
    'spec.target.number': issue === undefined ? undefined : String(issue),
  });

function matchesQuery(run: AgentWorkflowRun, query: RunsQuery): boolean {
  const { spec, status } = run;
  const { product, phase, agentWorkflow, repo, issue, startedBy } = query;
  return (
    (product === undefined || spec.product === product) &&
    (phase === undefined || matchesPhase(status?.phase ?? 'Pending', phase)) &&
    (agentWorkflow === undefined || spec.agentWorkflow === agentWorkflow) &&
    (repo === undefined || spec.target?.repo === repo) &&
    (issue === undefined || spec.target?.number === issue) &&
    (startedBy === undefined || spec.startedBy.toLowerCase() === startedBy.toLowerCase()) &&
    matchesListQuery(run, query, [status?.issue?.title, spec.instructions])
  );
}
