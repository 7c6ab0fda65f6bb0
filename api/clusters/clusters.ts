import { invalid, notFound, ServiceError } from '../../src/errors.ts';
import type { ClusterAccess } from '../../src/rules/clusters/cluster-access.ts';
import { clustersMax } from '../../src/rules/clusters/clusters-secret.ts';
import { type Cluster, type ClusterCloud, ClusterKind } from '../../src/rules/clusters/kinds.ts';
import { readKubeconfig, toFieldErrors } from '../../src/rules/clusters/read-kubeconfig.ts';
import { signInByCloud } from '../../src/reconcile/sign-in-by-cloud.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { ApiDeps } from '../deps.ts';
import { isCreatedBy } from '../http/create-once.ts';
import type { RequestIdentity } from '../temporal/idempotency.ts';

type Deps = Pick<ApiDeps, 'store' | 'config'>;

export const clusterRef = (name: string) => ({ namespace: systemNamespace, name });

export const isFromEnvironment = ({ config }: Pick<Deps, 'config'>, name: string): boolean =>
  config.workloadClusters?.includes(name) ?? false;

/** Returns a cluster that a platform admin added; throws for one from WORKLOAD_CLUSTERS, which only the operator changes. */
export async function getAddedCluster(deps: Deps, name: string): Promise<Cluster> {
  const cluster = await deps.store.find(ClusterKind, clusterRef(name));
  if (cluster) return cluster;
  if (isFromEnvironment(deps, name))
    throw new ServiceError(
      'cluster-from-environment',
      `The operator named the cluster "${name}" in WORKLOAD_CLUSTERS, so only the operator can change it there.`,
    );
  throw notFound('workload cluster', name, 'the installation');
}

type Credentials = { kubeconfig?: string | undefined; cloud?: ClusterCloud | undefined };

/** Returns the access that a kubeconfig or a cloud account gives, or undefined without either. */
export async function readCredentials(
  deps: Pick<ApiDeps, 'store' | 'clouds' | 'cloudIdentity'>,
  { kubeconfig, cloud }: Credentials,
): Promise<ClusterAccess | undefined> {
  if (kubeconfig !== undefined && cloud)
    throw invalid('The service signs in to a cluster with a kubeconfig or with a cloud account. Send one of them.', [
      { pointer: '/kubeconfig', detail: 'cannot be sent with `cloud`' },
    ]);
  if (cloud) return await signInByCloud(deps, cloud);
  return kubeconfig === undefined ? undefined : parseKubeconfig(kubeconfig);
}

/** Validates a kubeconfig; the error names each field that is refused, never a value. */
function parseKubeconfig(text: string): ClusterAccess {
  const read = readKubeconfig(text);
  if ('access' in read) return read.access;
  throw invalid(`The kubeconfig is not accepted: ${read.violations[0]}.`, toFieldErrors(read.violations));
}

/** Throws when the installation already has the cluster from another request, or as many as it can have. */
export async function assertAddable(deps: Deps, name: string, identity: RequestIdentity): Promise<void> {
  const { items } = await deps.store.list(ClusterKind, { namespace: systemNamespace });
  const others = items.filter((cluster) => !isCreatedBy(cluster, identity));
  if (isFromEnvironment(deps, name) || others.some(({ metadata }) => metadata.name === name))
    throw new ServiceError('already-exists', `The installation already has a workload cluster "${name}".`, {
      errors: [{ pointer: '/name', detail: 'is taken' }],
    });
  if (others.length >= clustersMax)
    throw invalid(`The installation has ${clustersMax} workload clusters, which is the maximum. Remove one first.`, [
      { pointer: '/name', detail: `would be more than ${clustersMax} clusters` },
    ]);
}
