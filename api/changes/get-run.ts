import { createRoute } from '@hono/zod-openapi';
import { AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import type { ApiDeps, App } from '../deps.ts';
import { streamEvents, acceptsEventStream } from '../http/event-stream.ts';
import { requireRole } from '../auth/require-role.ts';
import { getViewer } from '../auth/viewer.ts';
import { problems } from '../http/problem.ts';
import { setETag } from '../http/preconditions.ts';
import { jsonOrEventStream, RunParams } from '../http/views.ts';
import { getRunByName, relatedReleases, runRef, buildRunView } from './run-view.ts';
import { RunView } from './schemas.ts';

const route = createRoute({
  operationId: 'getRun',
  method: 'get',
  path: '/v1/orgs/{org}/agentworkflowruns/{run}',
  tags: ['Changes'],
  summary: 'Get an AgentWorkflowRun',
  description:
    'Includes the progress of the run through its Release. With `Accept: text/event-stream`, streams its updates.',
  ...requireRole('viewer'),
  request: { params: RunParams },
  responses: { 200: jsonOrEventStream('The run', RunView), ...problems(401, 403, 404, 429) },
});

export function getRun(app: App, deps: ApiDeps): void {
  const { store } = deps;
  const cached = cachedReads(store);
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const run = await getRunByName(store, ref);
    if (acceptsEventStream(c))
      return streamEvents(c, deps, {
        kind: AgentWorkflowRunKind,
        watch: runRef(ref),
        list: () =>
          cached.list(AgentWorkflowRunKind, {
            namespace: run.metadata.namespace,
            fields: { 'metadata.name': ref.run },
          }),
        toView: (current) => buildRunView(cached, current, getViewer(c, ref.org)),
        related: [relatedReleases(cached, ref.org, ref.run)],
      });
    setETag(c, run.metadata.resourceVersion);
    return c.json(await buildRunView(store, run, getViewer(c, ref.org)), 200);
  });
}
