import { createRoute } from '@hono/zod-openapi';
import { isServiceError } from '../../src/errors.ts';
import { findClusterAccess, replaceClusterAccess } from '../../src/reconcile/save-cluster-access.ts';
import { renewCloudAccess } from '../../src/reconcile/sign-in-by-cloud.ts';
import type { ClusterAccess } from '../../src/rules/clusters/cluster-access.ts';
import type { Cluster, ClusterCloud } from '../../src/rules/clusters/kinds.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse } from '../http/views.ts';
import { checkClusterAccess, type ClusterResult, recordCheck } from './check-cluster-access.ts';
import { respondCluster } from './cluster-view.ts';
import { getAddedCluster } from './clusters.ts';
import { ClusterParams, ClusterView } from './schemas.ts';

const route = createRoute({
  operationId: 'checkCluster',
  method: 'post',
  path: '/v1/clusters/{cluster}/check',
  tags: ['Clusters'],
  summary: 'Check a workload cluster',
  description:
    'Signs in to the API server and looks at its version, the permissions of the account, the deployment by Argo CD, ingress, storage and metrics. The findings replace those of the last check, even if the cluster cannot be reached. Requires a platform admin.',
  ...requireRole('platform-admin'),
  request: { params: ClusterParams },
  responses: { 200: jsonResponse('The workload cluster', ClusterView), ...problems(401, 403, 404, 409) },
});

export function checkCluster(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const cluster = await getAddedCluster(deps, c.req.valid('param').cluster);
    return c.json(await respondCluster(c, deps, await recordCheck(deps, cluster, await check(deps, cluster))), 200);
  });
}

/** A cluster that cannot be reached is a finding, too. */
async function check(deps: ApiDeps, { metadata: { name }, spec }: Cluster): Promise<ClusterResult> {
  const toFailed = (message: string): ClusterResult => ({
    findings: [
      {
        subject: 'connection',
        result: 'failed',
        message,
        fix: spec.cloud
          ? 'Check the cluster and the cloud account. Save the settings of the cluster if its address has changed.'
          : 'Check the cluster, or replace its kubeconfig.',
      },
    ],
    checkedAt: deps.now().toISOString(),
  });
  try {
    const stored = await findClusterAccess(deps.store, name);
    const access = spec.cloud ? await renewAccess(deps, { name, cloud: spec.cloud, stored }) : stored;
    if (!access) return toFailed('The service has no kubeconfig of the cluster.');
    return await checkClusterAccess(deps, { name, access, spec });
  } catch (error) {
    if (!isServiceError(error) || error.reason !== 'cluster-setting-invalid') throw error;
    return toFailed(error.message);
  }
}

type CloudAccess = { name: string; cloud: ClusterCloud; stored: ClusterAccess | undefined };

/** Signs in at the cloud again, so that the check finds what is wrong there before the current token ends. */
async function renewAccess(deps: ApiDeps, { name, cloud, stored }: CloudAccess): Promise<ClusterAccess> {
  const access = await renewCloudAccess(deps, cloud, stored);
  await replaceClusterAccess(deps.store, name, { previous: stored, access });
  return access;
}
