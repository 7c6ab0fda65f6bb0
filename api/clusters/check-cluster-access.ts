import { isServiceError, ServiceError } from '../../src/errors.ts';
import type { ClusterAccess } from '../../src/rules/clusters/cluster-access.ts';
import {
  type Cluster,
  type ClusterFinding,
  ClusterKind,
  type ClusterSpec,
  clusterSubjects,
} from '../../src/rules/clusters/kinds.ts';
import { withReadyCondition } from '../../src/rules/clusters/ready-condition.ts';
import type { ApiDeps } from '../deps.ts';
import { checkDeployment } from './check-deployment.ts';

export type ClusterResult = { version?: string; findings: ClusterFinding[]; checkedAt: string };

type Deps = Pick<ApiDeps, 'store' | 'clusters' | 'now'>;
type Candidate = { name: string; access: ClusterAccess; spec: ClusterSpec };

/** Checks what zones need in a cluster. Throws when the cluster does not accept the credentials. */
export async function checkClusterAccess(
  { store, clusters, now }: Deps,
  { name, access, spec: { prometheusUrl, cloud } }: Candidate,
): Promise<ClusterResult> {
  const { version, findings } = await clusters.check({ ...access, prometheusUrl }).catch((error: unknown) => {
    throw cloud ? toCloudError(error) : error;
  });
  const all = [...findings, await checkDeployment(store, name)];
  return { version, findings: sortFindings(all), checkedAt: now().toISOString() };
}

/** Errors of the check name fields of a kubeconfig, which a cluster with a cloud account does not have. */
function toCloudError(error: unknown): unknown {
  if (!isServiceError(error) || error.reason !== 'cluster-setting-invalid') return error;
  const { message, errors } = error;
  const isRejected = errors.some(({ detail }) => detail.startsWith('users[0].user'));
  const detail = isRejected
    ? 'has no access to the cluster. In EKS, create an access entry for its role; in GKE, let its service account connect.'
    : message;
  return new ServiceError('cluster-setting-invalid', message, { errors: [{ pointer: '/cloud', detail }] });
}

const sortFindings = (findings: readonly ClusterFinding[]): ClusterFinding[] =>
  findings.toSorted((one, other) => clusterSubjects.indexOf(one.subject) - clusterSubjects.indexOf(other.subject));

/** Records what a check found. The version stays when the cluster could not be reached. */
export async function recordCheck(
  { store }: Pick<Deps, 'store'>,
  { metadata }: Pick<Cluster, 'metadata'>,
  result: ClusterResult,
): Promise<Cluster> {
  return await store.updateStatus(ClusterKind, metadata, ({ status }) => ({
    ...status,
    ...result,
    conditions: withReadyCondition(status?.conditions, result.findings, {
      generation: metadata.generation,
      at: result.checkedAt,
    }),
  }));
}
