import { expect, it } from 'vitest';
import { appendEvent, timelineMax } from '../../../src/rules/incidents/append-event.ts';
import type { IncidentEvent } from '../../../src/rules/incidents/kinds.ts';
import { at } from './incident.ts';

const event = (type: IncidentEvent['type'], by: string): IncidentEvent => ({ type, by, at: at(0) });
const full = (...events: IncidentEvent[]): IncidentEvent[] => [
  event('opened', 'alert'),
  ...events,
  ...Array.from({ length: timelineMax - 1 - events.length }, () => event('note', 'ada@example.com')),
];

it('drops the oldest event of the alert from a full timeline, but not the opening', () => {
  const timeline = appendEvent(full(event('reopened', 'alert')), event('note', 'bob@example.com'));
  expect(timeline).toHaveLength(timelineMax);
  expect(timeline.filter(({ by }) => by === 'alert')).toEqual([event('opened', 'alert')]);
  expect(timeline.at(-1)).toEqual(event('note', 'bob@example.com'));
});

it('refuses a note when people filled the timeline, and still records the resolution', () => {
  expect(() => appendEvent(full(), event('note', 'bob@example.com'))).toThrow(
    expect.objectContaining({ reason: 'incident-timeline-full' }),
  );
  const timeline = appendEvent(full(), event('resolved', 'bob@example.com'));
  expect(timeline).toHaveLength(timelineMax);
  expect([timeline[0]?.type, timeline.at(-1)?.type]).toEqual(['opened', 'resolved']);
});
