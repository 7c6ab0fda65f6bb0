import { ServiceError } from '../../errors.ts';
import type { IncidentEvent } from './kinds.ts';

export const timelineMax = 200;

/**
 * Adds an event to a timeline. A full one drops what the alert did longest ago, after the opening, because a flapping
 * alert must not displace what people wrote.
 */
export function appendEvent(timeline: readonly IncidentEvent[], event: IncidentEvent): IncidentEvent[] {
  if (timeline.length < timelineMax) return [...timeline, event];
  const dropped = timeline.findIndex(({ by }, index) => index > 0 && by === 'alert');
  if (dropped !== -1) return [...timeline.toSpliced(dropped, 1), event];
  // The notes are what people cannot write again, so only they are refused.
  if (event.type === 'note')
    throw new ServiceError(
      'incident-timeline-full',
      `The incident has ${timelineMax} events, which is the limit. Resolve it with what fixed it, or open another incident.`,
    );
  const oldestNote = timeline.findIndex(({ type }) => type === 'note');
  return [...timeline.toSpliced(Math.max(oldestNote, 1), 1), event];
}
