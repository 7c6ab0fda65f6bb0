import type { RunCause } from '../changes/kinds.ts';
import { defined } from '../../defined.ts';
import { eventName, type CodehostEvent } from './events.ts';

/** Reduces an event to the facts that its run stores; an event without a time has no cause. */
export function toRunCause(event: CodehostEvent): RunCause | undefined {
  if (event.at === undefined) return undefined;
  const label = event.event === 'issues' ? event.label : undefined;
  return defined({ event: eventName(event), label, labels: event.labels, people: event.people, at: event.at });
}
