import { defined } from '../../defined.ts';
import type { IncidentKind } from '../incidents/kinds.ts';
import { findReleaseZones } from '../products/find-release-zones.ts';
import type { Product } from '../products/kinds.ts';
import { type ResourceOf, toOrgName } from '../resource.ts';
import { judgeZoneState } from './judge-zone-state.ts';
import { isOpen, listIncidentSpans } from './list-incident-spans.ts';
import { type HistoryDay, toDailyHistory } from './to-daily-history.ts';
import type { MeasuredObjective, ObjectiveState } from './to-objective-states.ts';
import { type PublicIncident, toPublicIncident } from './to-public-incident.ts';
import { toPublicText } from './to-public-text.ts';
import { type ZoneState, worstState } from './zone-states.ts';

type Incident = ResourceOf<typeof IncidentKind>;

export type PublicObjective = { name: string; objective: string; state: ObjectiveState; attainment?: number };
export type PublicZone = {
  name: string;
  /** Absent for a zone that not everyone can open. */
  address?: string;
  state: ZoneState;
  objectives: PublicObjective[];
  history: HistoryDay[];
};

/** Everything that the status page tells. Each field is chosen, so that a new field of a resource stays private. */
export type StatusPage = {
  org: string;
  product: string;
  title: string;
  state: ZoneState;
  asOf: string;
  zones: PublicZone[];
  /** Open incidents first, then those of the last 14 days; the newest first in both. */
  incidents: PublicIncident[];
};

const recentMs = 14 * 86_400_000;
export const incidentsMax = 50;

type Sources = {
  product: Product;
  incidents: readonly Incident[];
  objectives: readonly MeasuredObjective[];
  now: Date;
};

/** Lists the zones of the page in the order of promotion. A zone that is being removed is gone for its users already. */
export function listStatusZones({ spec, status }: Pick<Product, 'spec' | 'status'>): string[] {
  const chosen = new Set(spec.statusPage?.zones ?? findReleaseZones(spec));
  const removed = new Set(status?.zones?.filter(({ removal }) => removal).map(({ name }) => name));
  return spec.delivery.zones.map(({ name }) => name).filter((name) => chosen.has(name) && !removed.has(name));
}

export function buildStatusPage(sources: Sources): StatusPage {
  const { product, incidents, now } = sources;
  const names = listStatusZones(product);
  const affecting = incidents.filter(
    ({ spec }) => spec.product === product.metadata.name && (spec.zone === undefined || names.includes(spec.zone)),
  );
  const zones = names.map((name) => buildZone(name, { ...sources, incidents: affecting }));
  return {
    org: toOrgName(product.metadata.namespace),
    product: product.metadata.name,
    title: toPublicText(product.spec.displayName ?? '') || product.metadata.name,
    state: worstState(zones.map(({ state }) => state)),
    asOf: now.toISOString(),
    zones,
    incidents: listPublicIncidents(affecting, { zones: names, now }),
  };
}

function buildZone(name: string, { product, incidents, objectives, now }: Sources): PublicZone {
  const spec = product.spec.delivery.zones.find((zone) => zone.name === name);
  const status = product.status?.zones?.find((zone) => zone.name === name);
  const isReleased = status?.release !== undefined;
  const inZone = incidents.filter((incident) => incident.spec.zone === undefined || incident.spec.zone === name);
  const measured = objectives.filter(({ zone }) => zone === name);
  return defined({
    name,
    address: (spec?.access ?? 'public') === 'public' ? status?.address : undefined,
    state: judgeZoneState({
      isReleased,
      severities: inZone.filter(isOpen).map((incident) => incident.spec.severity),
      objectives: measured.map(({ state }) => state),
    }),
    objectives: measured.map(({ slo, objective, state, attainment }) =>
      defined({ name: slo, objective, state, attainment }),
    ),
    history: toDailyHistory(
      inZone.map((incident) => ({ severity: incident.spec.severity, spans: listIncidentSpans(incident) })),
      { now, ...(isReleased && { since: new Date(product.metadata.creationTimestamp) }) },
    ),
  });
}

function listPublicIncidents(
  incidents: readonly Incident[],
  { zones, now }: { zones: readonly string[]; now: Date },
): PublicIncident[] {
  const views = incidents.flatMap((incident) => toPublicIncident(incident, zones) ?? []);
  const newestFirst = views.toSorted((one, other) => Date.parse(other.openedAt) - Date.parse(one.openedAt));
  const isRecent = ({ resolvedAt }: PublicIncident): boolean =>
    resolvedAt !== undefined && now.getTime() - Date.parse(resolvedAt) <= recentMs;
  const open = newestFirst.filter(({ resolvedAt }) => resolvedAt === undefined);
  return [...open, ...newestFirst.filter(isRecent)].slice(0, incidentsMax);
}
