export type SloTarget = { org: string; product: string; zone: string };

/** Labels of the recorded series and alerts of an SLO in a zone. They hold names only, so that an alert keeps its identity. */
export const toSloLabels = ({ org, product, zone }: SloTarget, slo: string) => ({ org, product, zone, slo });

export const formatSelector = (labels: Record<string, string>): string =>
  `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}}`;

export const toRatioName = (range: string): string => `service:slo_errors:ratio_${range}`;
export const requestsSeries = 'service:slo_requests:increase_5m';
export const errorsSeries = 'service:slo_errors:increase_5m';

export const alertNames = { fast: 'ServiceFastBurn', slow: 'ServiceSlowBurn', zoneDown: 'ServiceZoneDown' } as const;
