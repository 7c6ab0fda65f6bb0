import type { RunCause } from '../changes/kinds.ts';
import { eventName, type SourceEvent } from './events.ts';

/** The events of one opening come within moments; what people do after it takes them longer. */
const openingMs = 60_000;

/**
 * An issue that is opened with labels is told of as opened and once for each label, in any order: whether this event
 * and the one that caused a run are such twins.
 */
export function isSameOpening(event: SourceEvent, cause: RunCause | undefined): boolean {
  if (event.event !== 'issues' || event.at === undefined || !cause?.event.startsWith('issue.')) return false;
  const at = Date.parse(event.at);
  const openedAt = event.openedAt === undefined ? at : Date.parse(event.openedAt);
  if (at - openedAt > openingMs || Math.abs(at - Date.parse(cause.at)) > openingMs) return false;
  // The same event twice is no twin: a label that was taken off and put on again is a new wish.
  const same = cause.event === eventName(event) && cause.label === event.label;
  return !same && isSameSet(event.labels, cause.labels);
}

/** Code hosts give an event's time in whole seconds, and not always the same in what they send and what they list. */
const sameEventMs = 2_000;

/** Whether a run was caused by this very event: it may come by a list first, and by its delivery after that. */
export function isSameEvent(event: SourceEvent, cause: RunCause | undefined): boolean {
  if (event.at === undefined || cause?.event !== eventName(event)) return false;
  const label = event.event === 'issues' ? event.label : undefined;
  return cause.label === label && Math.abs(Date.parse(event.at) - Date.parse(cause.at)) <= sameEventMs;
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.every((item) => other.includes(item)) && other.every((item) => one.includes(item));
}

/** What a run notes of the event that started it. */
export function causeOf(event: SourceEvent): RunCause | undefined {
  if (event.at === undefined) return undefined;
  const label = event.event === 'issues' && event.label !== undefined ? { label: event.label } : {};
  return { event: eventName(event), ...label, labels: event.labels, at: event.at };
}
