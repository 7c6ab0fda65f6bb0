import type { RunCause } from '../changes/kinds.ts';
import { eventName, type CodehostEvent } from './events.ts';

/** The events of one opening arrive within seconds, while a later action of a person usually takes longer. */
const openingWindowMs = 60_000;

/**
 * Code hosts report an issue that is opened with labels as opened and once per label, in any order. Returns whether the
 * event and the cause of a run belong to the same opening.
 */
export function isSameIssueOpening(event: CodehostEvent, cause: RunCause | undefined): boolean {
  if (event.event !== 'issues' || event.at === undefined || !cause?.event.startsWith('issue.')) return false;
  const at = Date.parse(event.at);
  const openedAt = event.openedAt === undefined ? at : Date.parse(event.openedAt);
  if (at - openedAt > openingWindowMs || Math.abs(at - Date.parse(cause.at)) > openingWindowMs) return false;
  // A label that was removed and added again is a new request, not a part of the opening.
  const isRepeated = cause.event === eventName(event) && cause.label === event.label;
  return !isRepeated && hasSameItems(event.labels, cause.labels);
}

/** Code hosts round times to seconds, and webhooks and lists may round the same event differently. */
const sameEventToleranceMs = 2_000;

/** Returns whether the event is the cause of a run. Reconciliation may find an event before its webhook arrives. */
export function isSameEvent(event: CodehostEvent, cause: RunCause | undefined): boolean {
  if (event.at === undefined || cause?.event !== eventName(event)) return false;
  const label = event.event === 'issues' ? event.label : undefined;
  return cause.label === label && Math.abs(Date.parse(event.at) - Date.parse(cause.at)) <= sameEventToleranceMs;
}

function hasSameItems(one: readonly string[], other: readonly string[]): boolean {
  return one.every((item) => other.includes(item)) && other.every((item) => one.includes(item));
}
