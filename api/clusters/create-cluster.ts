import { createRoute } from '@hono/zod-openapi';
import { invalid } from '../../src/errors.ts';
import { saveClusterAccess } from '../../src/reconcile/save-cluster-access.ts';
import { ClusterKind } from '../../src/rules/clusters/kinds.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { createOnce } from '../http/create-once.ts';
import { problems } from '../http/problem.ts';
import { body, jsonResponse } from '../http/views.ts';
import { identifyRequest } from '../temporal/idempotency.ts';
import { checkClusterAccess, recordCheck } from './check-cluster-access.ts';
import { respondCluster } from './cluster-view.ts';
import { assertAddable, clusterRef, readCredentials } from './clusters.ts';
import { ClusterView, NewClusterBody } from './schemas.ts';

const route = createRoute({
  operationId: 'createCluster',
  method: 'post',
  path: '/v1/clusters',
  tags: ['Clusters'],
  summary: 'Add a workload cluster',
  description:
    'Lets zones run in another cluster, which Argo CD must know by the same name. The service signs in with a kubeconfig, or with a cloud account of an org for an EKS or GKE cluster. It signs in before it saves anything, and returns the findings. A kubeconfig that names programs, files or plugins is rejected. Requires the browser session of a platform admin who signed in with a password.',
  ...requireRole('platform-admin', { credential: 'password-session' }),
  request: { body: body(NewClusterBody) },
  responses: {
    201: jsonResponse('The added workload cluster', ClusterView),
    ...problems(400, 401, 403, 409, 413, 415, 422),
  },
});

export function createCluster(app: App, deps: ApiDeps): void {
  const { store } = deps;
  app.openapi(route, async (c) => {
    const { name, kubeconfig, ...spec } = c.req.valid('json');
    const identity = identifyRequest(c, `createCluster ${name}`);
    await assertAddable(deps, name, identity);
    const access = await readCredentials(deps, { kubeconfig, cloud: spec.cloud });
    if (!access)
      throw invalid('The service cannot sign in to the cluster. Send a kubeconfig, or name a cloud account.', [
        { pointer: '/kubeconfig', detail: 'is required without `cloud`' },
      ]);
    const result = await checkClusterAccess(deps, { name, access, spec });
    const created = await createOnce(store, { kind: ClusterKind, identity }, { metadata: clusterRef(name), spec });
    await saveClusterAccess(store, name, access);
    const cluster = await recordCheck(deps, created, result);
    c.header('Location', `/api/v1/clusters/${name}`);
    return c.json(await respondCluster(c, deps, cluster), 201);
  });
}
