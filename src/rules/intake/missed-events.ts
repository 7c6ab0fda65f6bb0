import type { AgentWorkflow } from '../agents/kinds.ts';
import { eventName, type CodehostEvent } from './events.ts';
import { matchTriggers } from './match-triggers.ts';
import { hadTriggers } from './triggers-since.ts';

/** Evidence that an event was processed: the Delivery of the event, or a run that it started. */
export type ProcessedEvent = {
  agentWorkflow: string;
  repo: string;
  number: number;
  at: string;
  event: string;
  label?: string;
};

/** The largest expected difference between the clocks of the service and the code host. */
const clockSkewMs = 60_000;

/** Returns whether an event should have started a run but was never processed. */
export function isMissed(
  event: CodehostEvent,
  workflows: readonly AgentWorkflow[],
  processed: readonly ProcessedEvent[],
): boolean {
  const started = new Set(listStartedWorkflows(event, workflows));
  return started.size > 0 && !processed.some((one) => started.has(one.agentWorkflow) && wasProcessedAs(event, one));
}

/** Lists the AgentWorkflows that an event starts, without those that got their triggers after the event. */
export const listStartedWorkflows = (event: CodehostEvent, workflows: readonly AgentWorkflow[]): string[] =>
  workflows
    .filter((workflow) => hadTriggers(workflow, event.at ?? '') && matchTriggers(workflow.spec, event)?.starts === true)
    .map(({ metadata }) => metadata.name);

function wasProcessedAs(event: CodehostEvent, processed: ProcessedEvent): boolean {
  if (processed.number !== event.number || processed.repo.toLowerCase() !== event.repo.toLowerCase()) return false;
  if (Date.parse(processed.at) < Date.parse(event.at ?? '') - clockSkewMs) return false;
  return (
    processed.event === eventName(event) && processed.label === (event.event === 'issues' ? event.label : undefined)
  );
}

/** Builds an id that is the same each time the event is listed. */
export function toListedEventId(event: CodehostEvent): string {
  const label = event.event === 'issues' && event.label !== undefined ? [event.label] : [];
  return ['listed', `${event.repo}#${event.number}`, eventName(event), ...label, event.at].join(' ');
}
