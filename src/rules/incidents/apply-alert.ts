import type { AlertEpisode } from './alert-episode.ts';
import { appendEvent } from './append-event.ts';
import { getIncidentStatus } from './get-incident-status.ts';
import type { Incident, IncidentStatus } from './kinds.ts';

/** An alert that fires again within this time of the resolution reopens the incident, so that flapping makes only one. */
export const reopenWithinMs = 15 * 60_000;

type Episode = Pick<AlertEpisode, 'startsAt' | 'endsAt' | 'updatedAt'>;

/** Returns whether an episode belongs to an incident of the same alert; otherwise it opens another one. */
export function isSameIncident(incident: Incident, { startsAt }: Episode): boolean {
  const { state, resolvedAt } = getIncidentStatus(incident);
  if (state !== 'Resolved' || resolvedAt === undefined) return true;
  return Date.parse(startsAt) < Date.parse(resolvedAt) + reopenWithinMs;
}

/**
 * Applies what Alertmanager says about an alert to its incident, and returns undefined when it changes nothing. Two
 * peers say the same, in any order and repeatedly, so each step compares times instead of counting messages.
 */
export function applyAlert(incident: Incident, alert: Episode): IncidentStatus | undefined {
  const before = getIncidentStatus(incident);
  const fired = recordFiring(before, alert);
  const status = alert.endsAt === undefined ? fired : recordClearing(fired, alert.endsAt);
  return status === incident.status ? undefined : status;
}

function recordFiring(status: IncidentStatus, { startsAt, endsAt, updatedAt }: Episode): IncidentStatus {
  const { episode, state, resolvedAt } = status;
  const startMs = Date.parse(startsAt);
  if (updatedAt !== undefined && isStillFiring(status, { startMs, updatedAt }))
    return resume(status, startsAt, updatedAt);
  if (episode && startMs <= Date.parse(episode.startsAt)) return status;
  if (episode?.clearedAt !== undefined && startMs < Date.parse(episode.clearedAt)) return status;
  // A message about an episode that began and ended unseen must not reopen what is over.
  if (endsAt !== undefined && state === 'Resolved') return status;
  // Peers may disagree by seconds about the beginning of an episode that was not seen to clear. One that began after a
  // person resolved the incident is another: Alertmanager sends no message about an end that another beginning follows.
  const isResolvedEpisode = episode?.clearedAt === undefined && startMs <= Date.parse(resolvedAt ?? '');
  if (state !== 'Resolved' || resolvedAt === undefined || isResolvedEpisode)
    return { ...status, episode: { ...episode, startsAt } };
  return reopen(status, startsAt);
}

/**
 * Returns whether the episode that seemed to clear fires on. While Prometheus cannot reach Alertmanager, its alerts expire
 * there, and come back later as they began.
 */
const isStillFiring = (
  { episode }: IncidentStatus,
  { startMs, updatedAt }: { startMs: number; updatedAt: string },
): boolean => {
  const clearedMs = Date.parse(episode?.clearedAt ?? '');
  return startMs < clearedMs && clearedMs < Date.parse(updatedAt);
};

/** An incident that a person has resolved stays resolved until the alert clears and fires again. */
function resume(status: IncidentStatus, startsAt: string, at: string): IncidentStatus {
  if (status.resolvedBy !== 'alert') return { ...status, episode: { startsAt } };
  return { ...reopen(status, at), episode: { startsAt } };
}

function reopen(status: IncidentStatus, startsAt: string): IncidentStatus {
  const { resolvedAt: _at, resolvedBy: _by, acknowledgedAt: _since, acknowledgedBy: _who, ...rest } = status;
  const timeline = appendEvent(status.timeline, { type: 'reopened', at: startsAt, by: 'alert' });
  return { ...rest, state: 'Open', episode: { startsAt }, timeline };
}

function recordClearing(status: IncidentStatus, clearedAt: string): IncidentStatus {
  const { episode, state } = status;
  // An end before the latest beginning is that of an earlier episode.
  if (!episode || episode.clearedAt !== undefined || Date.parse(clearedAt) < Date.parse(episode.startsAt))
    return status;
  const cleared = {
    ...status,
    episode: { ...episode, clearedAt },
    timeline: appendEvent(status.timeline, { type: 'alert-cleared', at: clearedAt, by: 'alert' }),
  };
  if (state === 'Resolved') return cleared;
  return {
    ...cleared,
    state: 'Resolved',
    resolvedAt: clearedAt,
    resolvedBy: 'alert',
    timeline: appendEvent(cleared.timeline, { type: 'resolved', at: clearedAt, by: 'alert' }),
  };
}
