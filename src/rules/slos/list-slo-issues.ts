import { canFire } from './error-budget.ts';
import type { SloSpec } from './kinds.ts';

/** The series of an SLO's metric in a zone, with their codes or buckets. */
type LiveSeries = { labels: Record<string, string> }[];

/** Returns why an SLO cannot alert in a zone as it is, in words. */
export function listSloIssues(slo: SloSpec, series: LiveSeries | undefined): string[] {
  return [...listUnreachableAlerts(slo.objective), ...(series ? listMetricIssues(slo, series) : [])];
}

function listUnreachableAlerts(objective: string): string[] {
  const alerts = (['fast', 'slow'] as const).filter((alert) => !canFire(objective, alert));
  if (alerts.length === 0) return [];
  const smallest = alerts.includes('slow') ? '83.34' : '93.06';
  return [
    `The ${alerts.join(' and the ')} burn alert can never fire: no more than all requests can fail, which is less than ${alerts.includes('slow') ? '6' : '14.4'} times the budget of an objective of ${objective} %. Choose an objective of at least ${smallest} %, or rely on ${alerts.length === 2 ? 'the zone-down alert' : 'the slow burn alert'}.`,
  ];
}

function listMetricIssues({ indicator: { availability, latency } }: SloSpec, series: LiveSeries): string[] {
  const metric = latency ? `${latency.histogram}_bucket` : (availability?.metric ?? '');
  if (series.length === 0)
    return [
      `Prometheus has no series of ${metric} in the zone: check that the app exports it, that its pods are scraped, and that the filter matches.`,
    ];
  if (!latency) {
    // Other labels may be those of failed requests only, which have no series before the first.
    if (availability?.errors !== undefined || series.some(({ labels }) => labels['code'])) return [];
    return [
      `No series of ${metric} in the zone has the label code, so no request counts as failed: set errors to the label matchers of failed requests, such as status=~"5..".`,
    ];
  }
  const buckets = series.map(({ labels }) => Number((labels['le'] ?? '').replace('Inf', 'Infinity')));
  if (buckets.includes(Number(latency.threshold))) return [];
  const known = buckets.filter(Number.isFinite).toSorted((one, other) => one - other);
  return [`${metric} has no bucket of ${latency.threshold} s: choose one of ${known.join(', ')}.`];
}
