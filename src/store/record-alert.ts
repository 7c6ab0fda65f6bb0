import { isServiceError } from '../errors.ts';
import { acceptedGenerationAnnotation } from '../rules/conditions.ts';
import { defined } from '../defined.ts';
import type { AlertEpisode } from '../rules/incidents/alert-episode.ts';
import { applyAlert, isSameIncident } from '../rules/incidents/apply-alert.ts';
import { findCause } from '../rules/incidents/find-cause.ts';
import { getIncidentStatus } from '../rules/incidents/get-incident-status.ts';
import { alertIncidentName } from '../rules/incidents/incident-names.ts';
import { IncidentKind, type Incident, type IncidentSpec, type IncidentStatus } from '../rules/incidents/kinds.ts';
import { openIncident } from '../rules/incidents/open-incident.ts';
import { ProductKind } from '../rules/products/kinds.ts';
import { PromotionKind } from '../rules/promotions/kinds.ts';
import { orgNamespace, type OwnerReference, ownerReference } from '../rules/resource.ts';
import type { Store } from './store.ts';

export type AlertOutcome = 'recorded' | 'unchanged' | 'unknown-product' | 'unknown-zone';

/** Brings the incident of an alert to what Alertmanager says; any number of processes may record the same alert. */
export async function recordAlert(store: Store, alert: AlertEpisode): Promise<AlertOutcome> {
  const namespace = orgNamespace(alert.org);
  const product = await store.find(ProductKind, { namespace, name: alert.product }, { consistency: 'cached' });
  if (!product) return 'unknown-product';
  const zones = [...product.spec.delivery.zones, ...(product.status?.zones ?? [])].map(({ name }) => name);
  // The rule goes with its zone, so that its alert may end when the zone is gone.
  const isOfZone = alert.zone === undefined || zones.includes(alert.zone);
  if (!isOfZone && alert.endsAt === undefined) return 'unknown-zone';

  const latest = await findLatestIncident(store, alert);
  if (latest && isSameIncident(latest, alert)) {
    // The process that opened it may have ended before it wrote the first status, which names the cause.
    if (!latest.status) await completeIncident(store, latest, latest.metadata.creationTimestamp);
    // Peers repeat that an alert fires. A later version of the incident has recorded that beginning too, so a cached one
    // is enough to ignore it; an end may concern an episode that the cache does not know yet.
    if (alert.endsAt === undefined && applyAlert(latest, alert) === undefined) return 'unchanged';
    return await updateIncident(store, latest, alert);
  }
  // An episode that ended before it was seen no longer needs a person.
  if (alert.endsAt !== undefined) return 'unchanged';
  const opening = {
    metadata: { namespace, name: alertIncidentName(alert, alert), ownerReferences: [ownerReference(product)] },
    spec: toSpec(alert),
    at: alert.startsAt,
  };
  const { isNew, incident } = await createIncident(store, opening);
  // A peer created it a moment before, or this is an old message about an incident that is over.
  return isNew ? 'recorded' : await updateIncident(store, incident, alert);
}

/** The cache may lag some milliseconds behind another process; the name of an episode still prevents a second incident. */
async function findLatestIncident(store: Store, { org, fingerprint }: AlertEpisode): Promise<Incident | undefined> {
  const { items } = await store.list(IncidentKind, {
    namespace: orgNamespace(org),
    fields: { 'spec.alert.fingerprint': fingerprint },
    consistency: 'cached',
  });
  const startMs = (incident: Incident): number => Date.parse(getIncidentStatus(incident).openedAt);
  return items.toSorted((one, other) => startMs(other) - startMs(one))[0];
}

async function updateIncident(
  store: Store,
  { metadata }: { metadata: { namespace: string; name: string } },
  alert: AlertEpisode,
): Promise<AlertOutcome> {
  let isChanged = false;
  await store.updateStatus(IncidentKind, metadata, (current) => {
    const status = applyAlert(current, alert);
    isChanged = status !== undefined;
    return status;
  });
  return isChanged ? 'recorded' : 'unchanged';
}

type Creation = {
  metadata: {
    namespace: string;
    name: string;
    annotations?: Record<string, string>;
    /** The Product, with which the incident is deleted. */
    ownerReferences?: OwnerReference[];
  };
  spec: IncidentSpec;
  at: string;
};

/** Creates an incident with its first status, or completes and returns the one that another request created. */
export async function createIncident(
  store: Store,
  { metadata, spec, at }: Creation,
): Promise<{ isNew: boolean; incident: Incident }> {
  const annotations = { ...metadata.annotations, [acceptedGenerationAnnotation]: '1' };
  const created = await store.create(IncidentKind, { metadata: { ...metadata, annotations }, spec }).catch((error) => {
    if (!isServiceError(error, 'conflict')) throw error;
    return undefined;
  });
  const existing = created ?? (await store.get(IncidentKind, metadata));
  if (existing.status) return { isNew: false, incident: existing };
  return { isNew: created !== undefined, incident: await completeIncident(store, existing, at) };
}

/** Writes the first status. Two requests that do so at once write the same, which the second leaves as it is. */
async function completeIncident(store: Store, { metadata, spec }: Incident, at: string): Promise<Incident> {
  const promotion = await findCausingPromotion(store, { metadata, spec, at });
  return await store.updateStatus(IncidentKind, metadata, ({ status }) =>
    status === undefined ? openIncident(defined({ spec, at, promotion })) : undefined,
  );
}

async function findCausingPromotion(
  store: Store,
  { metadata, spec, at }: Pick<Incident, 'metadata' | 'spec'> & { at: string },
): Promise<IncidentStatus['promotion']> {
  const { product, zone } = spec;
  if (zone === undefined) return undefined;
  const { items } = await store.list(PromotionKind, {
    namespace: metadata.namespace,
    fields: { 'spec.product': product, 'spec.zone': zone },
    consistency: 'cached',
  });
  return findCause(items, spec.alert?.startsAt ?? at);
}

const toSpec = ({ product, zone, severity, title, text, name, fingerprint, startsAt, slo, ruleUrl }: AlertEpisode) => ({
  ...defined({ product, zone, severity, title, text }),
  openedBy: 'alert',
  alert: defined({ name, fingerprint, startsAt, slo, ruleUrl }),
});
