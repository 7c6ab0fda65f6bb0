import { invalid, notFound, ServiceError } from '../../src/errors.ts';
import { SecretKind } from '../../src/kinds/kubernetes.ts';
import type { ClusterAccess } from '../../src/rules/clusters/cluster-access.ts';
import {
  clustersMax,
  clustersSecretRef,
  readClusterAccess,
  withClusterAccess,
} from '../../src/rules/clusters/clusters-secret.ts';
import { type Cluster, ClusterKind } from '../../src/rules/clusters/kinds.ts';
import { readKubeconfig, toFieldErrors } from '../../src/rules/clusters/read-kubeconfig.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { applyObject } from '../../src/store/apply-object.ts';
import type { Store } from '../../src/store/store.ts';
import type { ApiDeps } from '../deps.ts';

type Deps = Pick<ApiDeps, 'store' | 'config'>;

export const clusterRef = (name: string) => ({ namespace: systemNamespace, name });

export const isOfEnvironment = ({ config }: Pick<Deps, 'config'>, name: string): boolean =>
  config.workloadClusters?.includes(name) ?? false;

/** Returns a cluster that a platform admin added; throws for one of the environment, which only the operator changes. */
export async function getAddedCluster(deps: Deps, name: string): Promise<Cluster> {
  const cluster = await deps.store.find(ClusterKind, clusterRef(name));
  if (cluster) return cluster;
  if (isOfEnvironment(deps, name))
    throw new ServiceError(
      'cluster-from-environment',
      `The operator named the cluster "${name}" in WORKLOAD_CLUSTERS, so only the operator can change it there.`,
    );
  throw notFound('workload cluster', name, 'the installation');
}

/** Validates a kubeconfig; the error names each field that is refused, never a value. */
export function parseKubeconfig(text: string): ClusterAccess {
  const read = readKubeconfig(text);
  if ('access' in read) return read.access;
  throw invalid(`The kubeconfig is not accepted: ${read.violations[0]}.`, toFieldErrors(read.violations));
}

export const findClusterAccess = async (store: Store, name: string): Promise<ClusterAccess | undefined> =>
  readClusterAccess(await store.find(SecretKind, clustersSecretRef), name);

/** Throws when the installation already has the cluster, or as many as it can have. */
export async function assertAddable(deps: Deps, name: string): Promise<void> {
  const { items } = await deps.store.list(ClusterKind, { namespace: systemNamespace });
  if (isOfEnvironment(deps, name) || items.some(({ metadata }) => metadata.name === name))
    throw new ServiceError('already-exists', `The installation already has a workload cluster "${name}".`, {
      errors: [{ pointer: '/name', detail: 'is taken' }],
    });
  if (items.length >= clustersMax)
    throw invalid(`The installation has ${clustersMax} workload clusters, which is the maximum. Remove one first.`, [
      { pointer: '/name', detail: `would be more than ${clustersMax} clusters` },
    ]);
}

const attemptsMax = 5;

/** Saves the credentials of one cluster, or deletes them; those of the others stay. */
export async function saveClusterAccess(store: Store, name: string, access: ClusterAccess | undefined): Promise<void> {
  if (!access && !(await store.find(SecretKind, clustersSecretRef))) return;
  await applyObject(store, SecretKind, {
    ref: clustersSecretRef,
    build: (secret) => ({ type: 'Opaque', data: withClusterAccess(secret, name, access) }),
    attemptsMax,
  });
}
