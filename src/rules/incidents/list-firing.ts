import { getIncidentStatus } from './get-incident-status.ts';
import type { Incident } from './kinds.ts';

export type FiringIncident = { incident: Incident; fingerprint: string; startsAt: string };

/** Lists the incidents whose alert has not cleared, also those that a person has resolved. */
export const listFiring = (incidents: readonly Incident[]): FiringIncident[] =>
  incidents.flatMap((incident) => {
    const { alert } = incident.spec;
    const { episode } = getIncidentStatus(incident);
    if (!alert || !episode || episode.clearedAt !== undefined) return [];
    return [{ incident, fingerprint: alert.fingerprint, startsAt: episode.startsAt }];
  });
