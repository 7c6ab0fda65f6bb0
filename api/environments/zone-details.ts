import type { z } from '@hono/zod-openapi';
import { CoreV1EventKind, PersistentVolumeClaimKind, type Pod, PodKind } from '../../src/kinds/kubernetes.ts';
import { ApplicationKind } from '../../src/kinds/argo-cd.ts';
import {
  describeEvents,
  describePod,
  describeVolumes,
  notRunningReason,
} from '../../src/rules/environments/describe-workload.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import type { ZoneDetailsView, ZoneView } from './schemas.ts';

type View = z.infer<typeof ZoneView>;
type Details = Omit<z.infer<typeof ZoneDetailsView>, keyof View>;

/** Reads the namespace of a zone; the caller must have verified access to the zone. */
export async function getZoneDetails(store: Store, view: View): Promise<Details> {
  const namespace = view.name;
  const [pods, claims, events, reason] = await Promise.all([
    listPods(store, namespace),
    store.list(PersistentVolumeClaimKind, { namespace }),
    store.list(CoreV1EventKind, { namespace }),
    findNotRunningReason(store, view),
  ]);
  return {
    pods: pods.map(describePod),
    volumes: describeVolumes(claims.items, view.status.appliedSettings?.persistence ?? []),
    events: describeEvents(events.items),
    resources: toZoneResources(view),
    notRunningReason: reason,
  };
}

export async function listPods(store: Store, zone: string): Promise<Pod[]> {
  return (await store.list(PodKind, { namespace: zone })).items;
}

export async function findNotRunningReason(
  store: Store,
  { name, org, status, spec }: View,
): Promise<string | undefined> {
  const [pods, application] = await Promise.all([
    listPods(store, name),
    store.find(ApplicationKind, { namespace: orgNamespace(org), name }),
  ]);
  return notRunningReason({
    cluster: spec?.cluster,
    replicas: status.appliedSettings?.replicas ?? spec?.replicas ?? 1,
    hasRelease: status.release !== undefined || status.currentPromotion !== undefined,
    pods: pods.map(describePod),
    application,
  });
}

/** Returns the resources of the values file that the pods run with; before the first promotion, those of the spec. */
export function toZoneResources({ status: { appliedSettings }, spec }: View): Details['resources'] {
  if (!appliedSettings)
    return { replicas: spec?.replicas ?? 1, cpu: spec?.cpu, memory: spec?.memory, memoryLimit: spec?.memory };
  const { requests = {}, limits } = appliedSettings.resources;
  return { replicas: appliedSettings.replicas, ...requests, memoryLimit: limits?.memory };
}
