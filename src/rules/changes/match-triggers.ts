import type { AgentWorkflowSpec, EventTrigger } from '../agents/kinds.ts';

/** What an issue event says, reduced to what decides. */
export type IssueEvent = {
  action: 'opened' | 'labeled';
  labels: string[];
  /** The label just added, for `labeled`. */
  label?: string;
  senderIsBot: boolean;
  isPullRequest: boolean;
};

export type TriggerMatch = { starts: true } | { starts: false; reason: string };

/** Decides whether an issue event starts runs of an AgentWorkflow, and says why where it does not. */
export function matchTriggers(workflow: AgentWorkflowSpec, event: IssueEvent): TriggerMatch {
  if (event.isPullRequest) return { starts: false, reason: 'a pull request is never an issue event' };
  if (event.senderIsBot) return { starts: false, reason: 'the event was caused by a bot' };
  if (!workflow.enabled) return { starts: false, reason: 'the AgentWorkflow is not enabled' };
  const ofEvents = workflow.triggers.filter((trigger) => trigger.type === 'event');
  const ofEvent = ofEvents.filter((trigger) => trigger.event === `issue.${event.action}`);
  if (ofEvent.length === 0) return { starts: false, reason: `no trigger for issue.${event.action}` };
  if (ofEvent.some((trigger) => labelsMatch(trigger, event))) return { starts: true };
  return { starts: false, reason: 'no trigger takes these labels' };
}

function labelsMatch({ labels }: EventTrigger, event: IssueEvent): boolean {
  if (!labels || labels.length === 0) return true;
  const relevant = event.action === 'labeled' ? [event.label ?? ''] : event.labels;
  return relevant.some((label) => labels.includes(label));
}
