import type { z } from '@hono/zod-openapi';
import { isServiceError } from '../../src/errors.ts';
import { isGatePod } from '../../src/rules/environments/gate-pods.ts';
import { CoreV1EventKind, PersistentVolumeClaimKind, type Pod, PodKind } from '../../src/kinds/kubernetes.ts';
import { ApplicationKind } from '../../src/kinds/argo-cd.ts';
import {
  describeEvents,
  describePod,
  describeVolumes,
  notRunningReason,
} from '../../src/rules/environments/describe-workload.ts';
import { namespaceTakenMessage } from '../../src/rules/environments/zone-namespace.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { ZoneCluster } from '../../src/integrations/telemetry/zone-cluster.ts';
import type { ApiDeps } from '../deps.ts';
import { getZoneNamespaceState, type ZoneNamespaceState } from '../../src/store/zone-namespace.ts';
import type { ZoneDetailsView, ZoneView } from './schemas.ts';

type View = z.infer<typeof ZoneView>;
type Details = Omit<z.infer<typeof ZoneDetailsView>, keyof View>;

/** Reads the namespace of a zone; the caller must have verified access to the zone. */
export async function getZoneDetails(deps: RuntimeDeps, view: View): Promise<Details> {
  const namespace = view.name;
  const runtime = await readZoneRuntime(deps, view);
  const store = runtime.cluster?.objects;
  const isOwn = runtime.namespaceState === 'own';
  const [claims, events] =
    isOwn && store
      ? await Promise.all([
          store.list(PersistentVolumeClaimKind, { namespace }),
          store.list(CoreV1EventKind, { namespace }),
        ])
      : [{ items: [] }, { items: [] }];
  return {
    pods: runtime.pods.map(describePod),
    volumes: describeVolumes(claims.items, view.status.appliedSettings?.persistence ?? []),
    events: describeEvents(events.items),
    resources: toZoneResources(view),
    notRunningReason: runtime.notRunningReason,
  };
}

type RuntimeDeps = Pick<ApiDeps, 'store' | 'telemetry' | 'workloadClusters'>;
type ReadableCluster = Pick<ZoneCluster, 'objects' | 'telemetry'>;

export type ZoneRuntime = {
  namespaceState: ZoneNamespaceState;
  pods: Pod[];
  notRunningReason: string | undefined;
  /** The cluster that the zone runs in; undefined when the service has no access to it now. */
  cluster: ReadableCluster | undefined;
};

/** Returns undefined for a workload cluster that the service has no access to. */
export const findZoneCluster = async (
  { store, telemetry, workloadClusters }: RuntimeDeps,
  cluster: string | undefined,
): Promise<ReadableCluster | undefined> =>
  cluster === undefined ? { objects: store, telemetry } : await workloadClusters.find(cluster);

type RunningPods = Pick<ZoneRuntime, 'cluster' | 'namespaceState' | 'pods'>;

/** A namespace that is not the zone's own is never read, whatever it is called. */
async function readPods(deps: RuntimeDeps, { name, org, product, spec }: View): Promise<RunningPods> {
  const none = { cluster: undefined, namespaceState: 'missing' as const, pods: [] };
  const cluster = await findZoneCluster(deps, spec?.cluster);
  if (!cluster) return none;
  try {
    const namespaceState = await getZoneNamespaceState(deps.store, { org, product, zone: name }, cluster.objects);
    if (namespaceState !== 'own') return { cluster, namespaceState, pods: [] };
    const { items } = await cluster.objects.list(PodKind, { namespace: name });
    const pods = items.filter(({ metadata }) => !isGatePod({ product, pod: metadata.name }));
    return { cluster, namespaceState, pods };
  } catch (error) {
    // A workload cluster that does not respond must not hide what the service itself knows about the zone.
    if (spec?.cluster === undefined || !isServiceError(error, 'unavailable')) throw error;
    return none;
  }
}

/** Reads the pods of a zone's app, and why none runs. */
export async function readZoneRuntime(deps: RuntimeDeps, view: View): Promise<ZoneRuntime> {
  const { name, org, status, spec } = view;
  const [{ cluster, namespaceState, pods }, application] = await Promise.all([
    readPods(deps, view),
    deps.store.find(ApplicationKind, { namespace: orgNamespace(org), name }),
  ]);
  if (namespaceState === 'foreign')
    return { namespaceState, pods, notRunningReason: namespaceTakenMessage(name), cluster };
  const reason = notRunningReason({
    inaccessibleCluster: cluster ? undefined : spec?.cluster,
    replicas: status.appliedSettings?.replicas ?? spec?.replicas ?? 1,
    hasRelease: status.release !== undefined || status.currentPromotion !== undefined,
    pods: pods.map(describePod),
    application,
  });
  return { namespaceState, pods, notRunningReason: reason, cluster };
}

/** Returns the resources of the values file that the pods run with; before the first promotion, those of the spec. */
export function toZoneResources({ status: { appliedSettings }, spec }: View): Details['resources'] {
  if (!appliedSettings)
    return { replicas: spec?.replicas ?? 1, cpu: spec?.cpu, memory: spec?.memory, memoryLimit: spec?.memory };
  const { requests = {}, limits } = appliedSettings.resources;
  return { replicas: appliedSettings.replicas, ...requests, memoryLimit: limits?.memory };
}
