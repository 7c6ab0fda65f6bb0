import type { IncidentSeverity } from '../incidents/kinds.ts';
import type { ObjectiveState } from './to-objective-states.ts';
import { type ZoneState, worstState } from './zone-states.ts';

/** The state of a zone while an incident of the severity is open. An incident for information does not affect users. */
export const stateBySeverity: Record<IncidentSeverity, ZoneState | undefined> = {
  critical: 'down',
  warning: 'degraded',
  info: undefined,
};

/**
 * Decides the state of a zone: an open critical incident means down, an open warning or a burning SLO means degraded. A
 * spent error budget is past trouble and a freeze only stops promotions, so neither counts.
 */
export function judgeZoneState({
  isReleased,
  severities,
  objectives,
}: {
  /** Whether a Release runs in the zone. */
  isReleased: boolean;
  /** The severities of the open incidents that affect the zone. */
  severities: readonly IncidentSeverity[];
  objectives: readonly ObjectiveState[];
}): ZoneState {
  const fromIncidents = severities.flatMap((severity) => stateBySeverity[severity] ?? []);
  const fromObjectives = objectives.includes('burning') ? (['degraded'] as const) : [];
  return worstState([isReleased ? 'operational' : 'not-released', ...fromIncidents, ...fromObjectives]);
}
