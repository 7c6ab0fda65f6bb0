import type { Incident, IncidentStatus } from './kinds.ts';
import { openIncident } from './open-incident.ts';

/** Returns the status, also when the process ended between the creation of the incident and its first status. */
export const getIncidentStatus = ({ spec, status, metadata }: Incident): IncidentStatus =>
  status ?? openIncident({ spec, at: metadata.creationTimestamp });
