import type { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { SecretKind } from '../../src/kinds/kubernetes.ts';
import { toClusterState } from '../../src/rules/clusters/cluster-state.ts';
import { accessFingerprint, clustersSecretRef, readClusterAccess } from '../../src/rules/clusters/clusters-secret.ts';
import type { Cluster } from '../../src/rules/clusters/kinds.ts';
import { passwordSessionViolation } from '../auth/assert-credential.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { setETag } from '../http/preconditions.ts';
import type { ClusterView } from './schemas.ts';
import { clusterUseViolation, listZonesByCluster, type ZoneInCluster } from './zones-in-clusters.ts';

type View = z.infer<typeof ClusterView>;
type Named = { name: string; cluster: Cluster | undefined };
type Action = View['actions'][number];

/** Returns a function that shows clusters; a cluster without a resource comes from WORKLOAD_CLUSTERS. */
export async function createClusterViewer(
  c: Context<ApiEnv>,
  { store }: Pick<ApiDeps, 'store'>,
): Promise<(named: Named) => View> {
  const [secret, zonesByCluster] = await Promise.all([
    store.find(SecretKind, clustersSecretRef),
    listZonesByCluster(store),
  ]);
  return ({ name, cluster }) => {
    const zones = zonesByCluster.get(name) ?? [];
    const access = cluster && readClusterAccess(secret, name);
    const { label, prometheusUrl, cloud } = cluster?.spec ?? {};
    const { version, findings = [], checkedAt } = cluster?.status ?? {};
    return {
      name,
      ...(label !== undefined && { label }),
      source: cluster ? ('settings' as const) : ('environment' as const),
      ...(cloud && { cloud }),
      ...(access && { server: access.server }),
      ...(access && !cloud && { fingerprint: accessFingerprint(access) }),
      ...(prometheusUrl !== undefined && { prometheusUrl }),
      state: toClusterState(findings),
      ...(version !== undefined && { version }),
      findings,
      ...(checkedAt !== undefined && { checkedAt }),
      zones,
      ...(cluster && { resourceVersion: cluster.metadata.resourceVersion }),
      actions: listActions(c, { name, cluster, zones }),
    };
  };
}

/** Sets the version of the response, and returns the view of a cluster. */
export async function respondCluster(
  c: Context<ApiEnv>,
  deps: Pick<ApiDeps, 'store'>,
  cluster: Cluster,
): Promise<View> {
  setETag(c, cluster.metadata.resourceVersion);
  return (await createClusterViewer(c, deps))({ name: cluster.metadata.name, cluster });
}

/** Only a platform admin reads clusters, so the session and the state decide. */
function listActions(c: Context<ApiEnv>, { name, cluster, zones }: Named & { zones: ZoneInCluster[] }): Action[] {
  const ofEnvironment = cluster ? undefined : 'The operator changes this cluster in WORKLOAD_CLUSTERS.';
  const session = passwordSessionViolation(c.get('credential'));
  const toAction = (
    action: string,
    { needsSession = true, blockedBy = ofEnvironment }: { needsSession?: boolean; blockedBy?: string | undefined } = {},
  ): Action => {
    if (needsSession && session !== undefined)
      return { name: action, allowed: false, reason: 'role-insufficient', message: session };
    if (blockedBy !== undefined) return { name: action, allowed: false, reason: 'state-conflict', message: blockedBy };
    return { name: action, allowed: true };
  };
  return [
    toAction('checkCluster', { needsSession: false }),
    toAction('putCluster'),
    toAction('deleteCluster', { blockedBy: ofEnvironment ?? clusterUseViolation(name, zones) }),
  ];
}
