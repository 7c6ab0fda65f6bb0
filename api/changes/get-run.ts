import { createRoute } from '@hono/zod-openapi';
import { AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import { lastHeard } from '../../src/store/last-heard.ts';
import type { ApiDeps, App } from '../deps.ts';
import { follow, wantsToFollow } from '../follow.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { tagged } from '../read-page.ts';
import { followable, RunParams } from '../views.ts';
import { getRunOf, releasesOfRuns, runRef, runView } from './run-view.ts';
import { RunView } from './schemas.ts';

const route = createRoute({
  operationId: 'getRun',
  method: 'get',
  path: '/v1/orgs/{org}/agentworkflowruns/{run}',
  tags: ['Changes'],
  summary: 'Read an AgentWorkflowRun with its change strip, or follow it',
  ...needs('viewer'),
  request: { params: RunParams },
  responses: { 200: followable('The run', RunView), ...problems(401, 403, 404) },
});

export function getRun(app: App, deps: ApiDeps): void {
  const { store } = deps;
  const heard = lastHeard(store);
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const run = await getRunOf(store, ref);
    const viewer = { org: ref.org, role: c.get('role') };
    if (wantsToFollow(c))
      return follow(c, deps, {
        kind: AgentWorkflowRunKind,
        watch: runRef(ref),
        current: () =>
          heard.list(AgentWorkflowRunKind, { namespace: run.metadata.namespace, fields: { 'metadata.name': ref.run } }),
        show: (now) => runView(heard, now, viewer),
        also: [releasesOfRuns(heard, ref.org, ref.run)],
      });
    tagged(c, run.metadata.resourceVersion);
    return c.json(await runView(store, run, viewer), 200);
  });
}
