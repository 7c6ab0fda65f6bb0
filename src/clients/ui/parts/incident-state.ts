import type { Incident, IncidentState, Severity } from '../api/queries/incidents.ts';
import type { State } from './phase-state.ts';

export const severityWords: Record<Severity, string> = { critical: 'Critical', warning: 'Warning', info: 'Info' };
const severityStates: Record<Severity, State> = { critical: 'failed', warning: 'warn', info: 'idle' };

export const toState = ({ status }: Incident): IncidentState => status?.state ?? 'Open';
export const toOpenedAt = ({ status, createdAt }: Incident): string => status?.openedAt ?? createdAt;

/** The mark of an incident is its severity until it is resolved. */
export const toIncidentMark = (incident: Incident): State =>
  toState(incident) === 'Resolved' ? 'done' : severityStates[incident.spec.severity];

export const toIncidentWords = (incident: Incident): string => `${toState(incident)}, ${incident.spec.severity}`;

/** Names who did something as the pages do: alerts are not people. */
export const toActor = (by: string): string => (by === 'alert' ? 'Alertmanager' : by);
