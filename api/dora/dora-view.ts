import { defined } from '../../src/defined.ts';
import type { Dora, Figure, Restore } from '../../src/rules/dora/compute-dora.ts';
import type { DoraWindow } from '../../src/rules/dora/dora-window.ts';
import type { Deployment } from '../../src/rules/dora/list-deployments.ts';
import type { LeadTime } from '../../src/rules/dora/list-lead-times.ts';
import type { IncidentRecord, PromotionRecord } from '../../src/rules/dora/records.ts';
import { bands, eventsMax } from './schemas.ts';

/** Returns the figures as the API shows them, with the newest events of each. */
export function toDoraView(dora: Dora, { current }: DoraWindow, days: number) {
  const { deploymentFrequency, leadTime, changeFailureRate, timeToRestore } = dora;
  return {
    days,
    from: toTimestamp(current.from),
    to: toTimestamp(current.to),
    deploymentFrequency: toFigureView(deploymentFrequency, toDeploymentView),
    leadTime: toFigureView(leadTime, toLeadTimeView),
    changeFailureRate: toFigureView(changeFailureRate, toFailureView),
    timeToRestore: toFigureView(timeToRestore, toRestoreView),
    bands,
  };
}

const toTimestamp = (time: number): string => new Date(time).toISOString();

const toFigureView = <Event, View>({ trend, events, ...figure }: Figure<Event>, toView: (event: Event) => View) => ({
  ...figure,
  trend: trend.map(({ from, ...value }) => ({ from: toTimestamp(from), ...value })),
  events: events.slice(0, eventsMax).map(toView),
});

const toPromotionView = ({ product, name, release, version, zone }: PromotionRecord) => ({
  product,
  promotion: name,
  release,
  version,
  zone,
});

const toDeploymentView = ({ promotion, at }: Deployment) => ({
  ...toPromotionView(promotion),
  trigger: promotion.trigger,
  startedBy: promotion.startedBy,
  at: toTimestamp(at),
});

const toLeadTimeView = ({ promotion, change, from, at, seconds }: LeadTime) =>
  defined({ ...toPromotionView(promotion), change, from: toTimestamp(from), at: toTimestamp(at), seconds });

const toIncidentView = ({ name, title, openedAt }: IncidentRecord) => ({
  name,
  title,
  openedAt: toTimestamp(openedAt),
});

function toFailureView({ promotion, failure = 'promotion-failed', incidents, at }: Deployment) {
  const openedAt = Math.min(...incidents.map((incident) => incident.openedAt));
  const resolvedAt = Math.max(...incidents.map((incident) => incident.resolvedAt ?? Infinity));
  return defined({
    ...toPromotionView(promotion),
    reason: failure,
    message: promotion.failure,
    incidents: incidents.map(toIncidentView),
    restoredSeconds: Number.isFinite(resolvedAt) ? Math.max(0, resolvedAt - openedAt) / 1_000 : undefined,
    at: toTimestamp(at),
  });
}

const toRestoreView = ({ incident, at, seconds }: Restore) =>
  defined({
    ...toIncidentView(incident),
    product: incident.product,
    zone: incident.zone,
    severity: incident.severity,
    at: toTimestamp(at),
    seconds,
  });
