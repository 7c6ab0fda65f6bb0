import { createRoute } from '@hono/zod-openapi';
import { notFound } from '../../src/errors.ts';
import { ClusterKind } from '../../src/rules/clusters/kinds.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse } from '../http/views.ts';
import { createClusterViewer, respondCluster } from './cluster-view.ts';
import { clusterRef, isFromEnvironment } from './clusters.ts';
import { ClusterParams, ClusterView } from './schemas.ts';

const route = createRoute({
  operationId: 'getCluster',
  method: 'get',
  path: '/v1/clusters/{cluster}',
  tags: ['Clusters'],
  summary: 'Get a workload cluster',
  description:
    'Returns what the last check found and the zones that run there. The kubeconfig is never returned. Requires a platform admin.',
  ...requireRole('platform-admin'),
  request: { params: ClusterParams },
  responses: { 200: jsonResponse('The workload cluster', ClusterView), ...problems(401, 403, 404) },
});

export function getCluster(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { cluster: name } = c.req.valid('param');
    const cluster = await deps.store.find(ClusterKind, clusterRef(name));
    if (cluster) return c.json(await respondCluster(c, deps, cluster), 200);
    if (!isFromEnvironment(deps, name)) throw notFound('workload cluster', name, 'the installation');
    return c.json((await createClusterViewer(c, deps))({ name, cluster: undefined }), 200);
  });
}
