import type { PrometheusRuleEntry } from '../../kinds/prometheus-operator.ts';
import { orgNamespace } from '../resource.ts';
import { type BurnAlert, burnAlerts, canFire, formatPercent, toErrorThreshold } from './error-budget.ts';
import type { SloSpec } from './kinds.ts';
import {
  alertNames,
  errorsSeries,
  formatSelector,
  requestsSeries,
  type SloTarget,
  toRatioName,
  toSloLabels,
} from './slo-labels.ts';
import { toCountQueries, toErrorRatioQuery } from './slo-queries.ts';
import { describeWindow, toWindowSeconds } from './slo-window.ts';

const burnRanges = ['5m', '30m', '1h', '6h'];

export type SloRules = {
  /** Rules over at most six hours, which decide whether to alert. */
  burn: PrometheusRuleEntry[];
  /** Rules over the window of the SLO. They are evaluated every five minutes, because they read many samples. */
  window: PrometheusRuleEntry[];
};

/** Builds the recording rules and burn alerts of an SLO in one zone. */
export function toSloRules(target: SloTarget, slo: SloSpec, window: string): SloRules {
  const labels = toSloLabels(target, slo.name);
  const inZone = { slo, zone: target.zone };
  const ratios = burnRanges.map((range) => ({
    record: toRatioName(range),
    expr: toErrorRatioQuery(inZone, range),
    labels,
  }));
  const alerts = (['fast', 'slow'] as const)
    .filter((alert) => canFire(slo.objective, alert))
    .map((alert) => toBurnAlert(alert, { target, slo, window }));
  return { burn: [...ratios, ...alerts], window: toWindowRules(target, slo, window) };
}

/** Sums counts of five minutes, each evaluated once in five minutes: the ratio of sums weighs each request alike. */
function toWindowRules(target: SloTarget, slo: SloSpec, window: string): PrometheusRuleEntry[] {
  const labels = toSloLabels(target, slo.name);
  const selector = formatSelector(labels);
  const { requests, errors } = toCountQueries({ slo, zone: target.zone }, { counter: 'increase', range: '5m' });
  const counts = [
    { record: requestsSeries, expr: requests, labels },
    { record: errorsSeries, expr: `${errors} and ${requests}`, labels },
  ];
  if (burnRanges.includes(window)) return counts;
  const sum = (series: string): string => `sum_over_time(${series}${selector}[${window}])`;
  const expr = `clamp_max(${sum(errorsSeries)} / (${sum(requestsSeries)} > 0), 1)`;
  return [...counts, { record: toRatioName(window), expr, labels }];
}

type Alerted = { target: SloTarget; slo: SloSpec; window: string };

function toBurnAlert(alert: BurnAlert, { target, slo, window }: Alerted): PrometheusRuleEntry {
  const { factor, long, short } = burnAlerts[alert];
  const labels = toSloLabels(target, slo.name);
  const threshold = toErrorThreshold(slo.objective, factor);
  const condition = `${formatSelector(labels)} > ${formatNumber(threshold)}`;
  const exceeds = (range: string): string => `${toRatioName(range)}${condition}`;
  return {
    alert: alertNames[alert],
    expr: `${exceeds(long)} and ${exceeds(short)}`,
    labels: {
      ...labels,
      namespace: orgNamespace(target.org),
      severity: alert === 'fast' ? 'critical' : 'warning',
    },
    annotations: {
      summary: `${slo.name} in ${target.zone} spends its error budget ${factor} times too fast`,
      description: describeBurn(alert, { target, slo, window }),
    },
  };
}

function describeBurn(alert: BurnAlert, { target, slo, window }: Alerted): string {
  const { factor, long, short } = burnAlerts[alert];
  const threshold = formatPercent(toErrorThreshold(slo.objective, factor));
  const budget = formatPercent(toErrorThreshold(slo.objective));
  const bad = slo.indicator.latency ? `took longer than ${slo.indicator.latency.threshold} s` : 'failed';
  return [
    `{{ $value | humanizePercentage }} of the requests to ${target.zone} ${bad} in the last ${long}, and more than ${threshold} in the last ${short}.`,
    `The objective of ${slo.objective} % allows ${budget} in ${describeWindow(window)}; the alert fires above ${factor} times that.`,
    `At the threshold, ${describeWindow(long)} spend${long === '1h' ? 's' : ''} ${formatPercent(toBudgetShare(alert, window), 1)} of the budget.`,
    `It clears when the last ${short} are below ${threshold}.`,
  ].join(' ');
}

/** The share of the budget that burning at the threshold of an alert spends in its long window. */
export const toBudgetShare = (alert: BurnAlert, window: string): number =>
  (burnAlerts[alert].factor * burnAlerts[alert].longSeconds) / toWindowSeconds(window);

/** PromQL accepts the exponent that JavaScript prints for small numbers. */
const formatNumber = (value: number): string => String(value);

/**
 * Alerts when a zone that wants pods has none. A zone scaled to zero is not an outage, and a deleted Deployment is one; the
 * latter counts only while the other Deployments of the cluster are seen, and not in a workload cluster, whose Deployments
 * another Prometheus may see.
 */
export function toZoneDownRule(target: SloTarget, workloadCluster?: string): PrometheusRuleEntry {
  const { org, product, zone } = target;
  const inZone = `{namespace="${zone}"}`;
  const wanted = `sum(kube_deployment_spec_replicas${inZone}) > 0`;
  const unavailable = `sum(kube_deployment_status_replicas_available${inZone}) == 0`;
  const down = `${unavailable} and on() ${wanted}`;
  const deleted = `absent(kube_deployment_spec_replicas${inZone}) and on() count(kube_deployment_spec_replicas) > 0`;
  return {
    alert: alertNames.zoneDown,
    expr: workloadCluster === undefined ? `(${down}) or on() (${deleted})` : down,
    for: '3m',
    labels: { org, product, zone, namespace: orgNamespace(org), severity: 'critical' },
    annotations: {
      summary: `${zone} has no available pods`,
      description: `No pod of ${product} has been available in ${zone} for 3 minutes, so the zone answers no request. Open the zone to see why its pods do not run, or roll back. The alert clears when a pod is available.`,
    },
  };
}
