import { createRoute } from '@hono/zod-openapi';
import { ServiceError } from '../../src/errors.ts';
import { saveClusterAccess } from '../../src/reconcile/save-cluster-access.ts';
import { ClusterKind } from '../../src/rules/clusters/kinds.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { acceptsPreconditions, assertCurrent, deleteIfCurrent, readPrecondition } from '../http/preconditions.ts';
import { problems } from '../http/problem.ts';
import { clusterRef, getAddedCluster } from './clusters.ts';
import { ClusterParams } from './schemas.ts';
import { clusterUseViolation, listZonesByCluster } from './zones-in-clusters.ts';

const route = createRoute({
  operationId: 'deleteCluster',
  method: 'delete',
  path: '/v1/clusters/{cluster}',
  tags: ['Clusters'],
  summary: 'Remove a workload cluster',
  description:
    'Deletes the credentials, so that the service no longer connects to the cluster. Nothing in the cluster is deleted, and Argo CD keeps its own cluster Secret. Fails with 409 while zones run there. Requires the browser session of a platform admin who signed in with a password.',
  ...requireRole('platform-admin', { credential: 'password-session' }),
  ...acceptsPreconditions,
  request: { params: ClusterParams },
  responses: { 204: { description: 'The workload cluster is removed' }, ...problems(401, 403, 404, 409) },
});

export function deleteCluster(app: App, deps: ApiDeps): void {
  const { store } = deps;
  app.openapi(route, async (c) => {
    const { cluster: name } = c.req.valid('param');
    const precondition = readPrecondition(c);
    assertCurrent(await getAddedCluster(deps, name), precondition);
    const violation = clusterUseViolation(name, (await listZonesByCluster(store)).get(name) ?? []);
    if (violation !== undefined) throw new ServiceError('cluster-in-use', violation);
    // A process that dies in between leaves a cluster without credentials, which can be removed again.
    await saveClusterAccess(store, name, undefined);
    await deleteIfCurrent(store, ClusterKind, { ref: clusterRef(name), precondition });
    return c.body(null, 204);
  });
}
