import { createRoute } from '@hono/zod-openapi';
import { invalid } from '../../src/errors.ts';
import { findClusterAccess, saveClusterAccess } from '../../src/reconcile/save-cluster-access.ts';
import { ClusterKind } from '../../src/rules/clusters/kinds.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { acceptsPreconditions, assertCurrent, readPrecondition } from '../http/preconditions.ts';
import { problems } from '../http/problem.ts';
import { replaceSpec } from '../http/replace-spec.ts';
import { body, jsonResponse } from '../http/views.ts';
import { checkClusterAccess, recordCheck } from './check-cluster-access.ts';
import { respondCluster } from './cluster-view.ts';
import { clusterRef, getAddedCluster, readCredentials } from './clusters.ts';
import { ClusterBody, ClusterParams, ClusterView } from './schemas.ts';

const route = createRoute({
  operationId: 'putCluster',
  method: 'put',
  path: '/v1/clusters/{cluster}',
  tags: ['Clusters'],
  summary: 'Replace the settings of a workload cluster',
  description:
    'Checks the cluster again before the settings are saved. A new kubeconfig or cloud account applies to the next request of each process, without a restart; without either the stored kubeconfig stays. `cloud` looks up the address of the cluster again. Requires the browser session of a platform admin who signed in with a password.',
  ...requireRole('platform-admin', { credential: 'password-session' }),
  ...acceptsPreconditions,
  request: { params: ClusterParams, body: body(ClusterBody) },
  responses: {
    200: jsonResponse('The updated workload cluster', ClusterView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422),
  },
});

export function putCluster(app: App, deps: ApiDeps): void {
  const { store } = deps;
  app.openapi(route, async (c) => {
    const { cluster: name } = c.req.valid('param');
    const { kubeconfig, ...spec } = c.req.valid('json');
    const precondition = readPrecondition(c);
    assertCurrent(await getAddedCluster(deps, name), precondition);
    const sent = await readCredentials(deps, { kubeconfig, cloud: spec.cloud });
    const stored = await findClusterAccess(store, name);
    // Credentials of a cloud account are not kept without the account.
    const access = sent ?? (stored?.cloud ? undefined : stored);
    if (!access)
      throw invalid(`The cluster "${name}" has no kubeconfig. Send one, or name a cloud account.`, [
        { pointer: '/kubeconfig', detail: 'is required without `cloud`' },
      ]);
    const result = await checkClusterAccess(deps, { name, access, spec });
    const replaced = await replaceSpec(store, ClusterKind, { ref: clusterRef(name), spec, precondition });
    if (sent) await saveClusterAccess(store, name, access);
    return c.json(await respondCluster(c, deps, await recordCheck(deps, replaced, result)), 200);
  });
}
