import type { AgentWorkflow } from '../agents/kinds.ts';
import { eventName, type SourceEvent } from './events.ts';
import { matchTriggers } from './match-triggers.ts';

/** What is known to have come of an event: a note of its delivery, or a run that it caused. */
export type Trace = { agentWorkflow: string; repo: string; number: number; at: string; event: string; label?: string };

/** As far as two clocks may differ. */
const clocksDifferMs = 60_000;

/** Whether an event would have started a run, and left no trace of having been told. */
export function isUnrouted(event: SourceEvent, workflows: readonly AgentWorkflow[], traces: readonly Trace[]): boolean {
  const concerned = new Set(startedBy(event, workflows));
  return concerned.size > 0 && !traces.some((trace) => concerned.has(trace.agentWorkflow) && isOf(event, trace));
}

/** The AgentWorkflows that an event starts; those made after it are none of them. */
export const startedBy = (event: SourceEvent, workflows: readonly AgentWorkflow[]): string[] =>
  workflows
    .filter(({ metadata, spec }) => {
      const wasThere = Date.parse(metadata.creationTimestamp) <= Date.parse(event.at ?? '');
      return wasThere && matchTriggers(spec, event)?.starts === true;
    })
    .map(({ metadata }) => metadata.name);

function isOf(event: SourceEvent, trace: Trace): boolean {
  if (trace.number !== event.number || trace.repo.toLowerCase() !== event.repo.toLowerCase()) return false;
  if (Date.parse(trace.at) < Date.parse(event.at ?? '') - clocksDifferMs) return false;
  return trace.event === eventName(event) && trace.label === (event.event === 'issues' ? event.label : undefined);
}

/** What tells an event from every other, however often it is listed. */
export function listedId(event: SourceEvent): string {
  const label = event.event === 'issues' && event.label !== undefined ? [event.label] : [];
  return ['listed', `${event.repo}#${event.number}`, eventName(event), ...label, event.at].join(' ');
}
