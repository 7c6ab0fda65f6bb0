import type { IncidentSeverity } from '../incidents/kinds.ts';
import { stateBySeverity } from './judge-zone-state.ts';
import type { Span } from './list-incident-spans.ts';
import { type ZoneState, worstState } from './zone-states.ts';

export const historyDays = 90;
const dayMs = 86_400_000;

/** A UTC day, such as `2026-11-24`, with the worst state that a zone had on it. */
export type HistoryDay = { date: string; state: ZoneState };

/**
 * Lists the last 90 UTC days of a zone, oldest first. Days before the Product existed are `not-released`, and without
 * `since` all days are: no Release has run in the zone.
 */
export function toDailyHistory(
  incidents: readonly { severity: IncidentSeverity; spans: readonly Span[] }[],
  { since, now }: { since?: Date; now: Date },
): HistoryDay[] {
  const today = Math.floor(now.getTime() / dayMs);
  return Array.from({ length: historyDays }, (_, index) => {
    const day = today - historyDays + 1 + index;
    const [start, end] = [day * dayMs, (day + 1) * dayMs];
    const overlaps = (span: Span): boolean =>
      span.start.getTime() < end && span.start <= now && (span.end ?? now).getTime() >= start;
    const affecting = incidents.filter(({ spans }) => spans.some(overlaps));
    const states = affecting.flatMap(({ severity }) => stateBySeverity[severity] ?? []);
    const usual: ZoneState = since && since.getTime() < end ? 'operational' : 'not-released';
    return { date: new Date(start).toISOString().slice(0, 10), state: worstState([usual, ...states]) };
  });
}
