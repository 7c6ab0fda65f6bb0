import type { Incident, Severity } from '../../api/queries/incidents.ts';

export type IncidentSummary = { count: number; severity?: Severity };

const bySeverity: Severity[] = ['critical', 'warning', 'info'];

/** Counts the incidents of a Product that have its worst severity. */
export function summarizeIncidents(incidents: Incident[], product: string): IncidentSummary {
  const own = incidents.filter(({ spec }) => spec.product === product);
  const severity = bySeverity.find((one) => own.some(({ spec }) => spec.severity === one));
  if (severity === undefined) return { count: 0 };
  return { severity, count: own.filter(({ spec }) => spec.severity === severity).length };
}
