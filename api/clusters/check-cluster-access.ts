import type { ClusterAccess } from '../../src/rules/clusters/cluster-access.ts';
import { type Cluster, type ClusterFinding, ClusterKind, clusterSubjects } from '../../src/rules/clusters/kinds.ts';
import { withReadyCondition } from '../../src/rules/clusters/ready-condition.ts';
import type { ApiDeps } from '../deps.ts';
import { checkDeployment } from './check-deployment.ts';

export type ClusterResult = { version?: string; findings: ClusterFinding[]; checkedAt: string };

type Deps = Pick<ApiDeps, 'store' | 'clusters' | 'now'>;
type Candidate = { name: string; access: ClusterAccess; prometheusUrl: string | undefined };

/** Checks what zones need in a cluster. Throws when the cluster does not accept the credentials. */
export async function checkClusterAccess(
  { store, clusters, now }: Deps,
  { name, access, prometheusUrl }: Candidate,
): Promise<ClusterResult> {
  const { version, findings } = await clusters.check({ ...access, prometheusUrl });
  const all = [...findings, await checkDeployment(store, name)];
  return { version, findings: sortFindings(all), checkedAt: now().toISOString() };
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
