import { defined } from '../../defined.ts';
import { ServiceError } from '../../errors.ts';
import { appendEvent } from './append-event.ts';
import { getIncidentStatus } from './get-incident-status.ts';
import type { Incident, IncidentStatus } from './kinds.ts';

type Act = { by: string; at: string };

/** Records that a person handles the incident. A resolution wins over a late acknowledgement, which would undo it. */
export function withAcknowledgement(incident: Incident, { by, at }: Act): IncidentStatus | undefined {
  const status = getIncidentStatus(incident);
  assertUnresolved(incident, status, 'acknowledged');
  if (status.state === 'Acknowledged') return undefined;
  return {
    ...status,
    state: 'Acknowledged',
    acknowledgedAt: at,
    acknowledgedBy: by,
    timeline: appendEvent(status.timeline, { type: 'acknowledged', at, by }),
  };
}

/** Resolves the incident. It stays resolved while its alert still fires, until the alert clears and fires again. */
export function withResolution(incident: Incident, { by, at, text, public: isPublic }: Note): IncidentStatus {
  const status = getIncidentStatus(incident);
  assertUnresolved(incident, status, 'resolved again');
  return {
    ...status,
    state: 'Resolved',
    resolvedAt: at,
    resolvedBy: by,
    timeline: appendEvent(status.timeline, defined({ type: 'resolved' as const, at, by, text, public: isPublic })),
  };
}

type Note = Act & { text: string; public?: boolean | undefined };

/** Adds a note, also to a resolved incident, because people often explain it afterwards. */
export function withNote(incident: Incident, { by, at, text, public: isPublic }: Note): IncidentStatus {
  const status = getIncidentStatus(incident);
  const event = defined({ type: 'note' as const, at, by, text, public: isPublic });
  return { ...status, timeline: appendEvent(status.timeline, event) };
}

function assertUnresolved({ metadata }: Incident, { state, resolvedBy }: IncidentStatus, what: string): void {
  if (state !== 'Resolved') return;
  const by = resolvedBy === 'alert' ? 'because its alert cleared' : `by ${resolvedBy}`;
  throw new ServiceError(
    'incident-resolved',
    `The incident "${metadata.name}" was resolved ${by}, so it cannot be ${what}. Add a note, or open another incident.`,
  );
}
