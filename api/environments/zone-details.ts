import type { z } from '@hono/zod-openapi';
import {
  ClusterEventKind,
  PersistentVolumeClaimKind,
  type Pod,
  PodKind,
} from '../../src/rules/environments/cluster-kinds.ts';
import { ApplicationKind } from '../../src/rules/environments/delivery-kinds.ts';
import {
  describeEvents,
  describePod,
  describeVolumes,
  whyNothingRuns,
} from '../../src/rules/environments/describe-pods.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import type { ZoneDetailsView, ZoneView } from './schemas.ts';

type View = z.infer<typeof ZoneView>;
type Details = Omit<z.infer<typeof ZoneDetailsView>, keyof View>;

/** What the cluster holds in the namespace of a zone, which the caller was found to be allowed to see. */
export async function zoneDetails(store: Store, view: View): Promise<Details> {
  const namespace = view.name;
  const [pods, claims, events, notRunning] = await Promise.all([
    podsOf(store, namespace),
    store.list(PersistentVolumeClaimKind, { namespace }),
    store.list(ClusterEventKind, { namespace }),
    whyNotRunning(store, view),
  ]);
  return {
    pods: pods.map(describePod),
    volumes: describeVolumes(claims.items, view.status.applied?.persistence ?? []),
    events: describeEvents(events.items),
    reservations: reservationsOf(view),
    notRunning,
  };
}

export async function podsOf(store: Store, zone: string): Promise<Pod[]> {
  return (await store.list(PodKind, { namespace: zone })).items;
}

export async function whyNotRunning(store: Store, { name, org, status, spec }: View): Promise<string | undefined> {
  const [pods, application] = await Promise.all([
    podsOf(store, name),
    store.find(ApplicationKind, { namespace: orgNamespace(org), name }),
  ]);
  return whyNothingRuns({
    cluster: spec?.cluster,
    replicas: status.applied?.replicas ?? spec?.replicas ?? 1,
    hasRelease: status.release !== undefined || status.arriving !== undefined,
    pods: pods.map(describePod),
    application,
  });
}

/** As the values file says, which is what the pods run with; what people asked for until there is one. */
export function reservationsOf({ status: { applied }, spec }: View): Details['reservations'] {
  if (!applied)
    return { replicas: spec?.replicas ?? 1, cpu: spec?.cpu, memory: spec?.memory, memoryLimit: spec?.memory };
  const { requests = {}, limits } = applied.resources;
  return { replicas: applied.replicas, ...requests, memoryLimit: limits?.memory };
}
