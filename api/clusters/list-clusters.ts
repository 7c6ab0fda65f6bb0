import { createRoute } from '@hono/zod-openapi';
import { ClusterKind } from '../../src/rules/clusters/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { paginate } from '../http/pagination.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, listSchema, PageQuery } from '../http/views.ts';
import { createClusterViewer } from './cluster-view.ts';
import { ClusterView } from './schemas.ts';

const route = createRoute({
  operationId: 'listClusters',
  method: 'get',
  path: '/v1/clusters',
  tags: ['Clusters'],
  summary: 'List workload clusters',
  description:
    'Returns the clusters that zones can run in besides that of the installation, with the results of their last checks and never their kubeconfigs. Everyone who is signed in finds the names in `getStatus`. Requires a platform admin.',
  ...requireRole('platform-admin'),
  request: { query: PageQuery },
  responses: { 200: jsonResponse('A page of workload clusters', listSchema(ClusterView)), ...problems(401, 403, 422) },
});

export function listClusters(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { items: added } = await deps.store.list(ClusterKind, { namespace: systemNamespace });
    const byName = new Map(added.map((cluster) => [cluster.metadata.name, cluster]));
    const names = [...new Set([...byName.keys(), ...(deps.config.workloadClusters ?? [])])];
    const query = c.req.valid('query');
    const { items, ...page } = paginate(c, names, { toPosition: (name) => [name], query });
    const toView = await createClusterViewer(c, deps);
    return c.json({ items: items.map((name) => toView({ name, cluster: byName.get(name) })), ...page }, 200);
  });
}
