import picomatch from 'picomatch';
import type { AgentWorkflowSpec, TriggerSpec } from '../agents/kinds.ts';
import { eventName, type IssueEvent, type PullRequestEvent, type SourceEvent } from './events.ts';

export type TriggerMatch = { starts: true } | { starts: false; reason: string };

/** Decides whether an event starts runs of an AgentWorkflow; undefined where it has no trigger for such events. */
export function matchTriggers(workflow: AgentWorkflowSpec, event: SourceEvent): TriggerMatch | undefined {
  const triggers = workflow.triggers.filter((trigger) => isFor(trigger, event));
  if (triggers.length === 0) return undefined;
  const problem = event.event === 'issues' ? issueProblem(event) : pullRequestProblem(event);
  if (problem !== undefined) return { starts: false, reason: problem };
  if (!workflow.enabled) return { starts: false, reason: 'the AgentWorkflow is not enabled' };
  const ofBranch = triggers.filter((trigger) => branchMatches(trigger, event));
  if (ofBranch.length === 0) return { starts: false, reason: 'no trigger takes this base branch' };
  if (ofBranch.some((trigger) => labelsMatch(trigger, event))) return { starts: true };
  return { starts: false, reason: 'no trigger takes these labels' };
}

const isFor = (trigger: TriggerSpec, event: SourceEvent): boolean =>
  trigger.type === 'onChange'
    ? event.event === 'pull_request'
    : trigger.type === 'event' && event.event === 'issues' && trigger.event === eventName(event);

const ownEvent = 'the service itself caused the event';

/**
 * A label that a bot puts on a person's issue starts runs, as the triage of many teams does; one that it puts on a bot's
 * issue is bots among themselves, and mostly comes with the opening.
 */
function issueProblem(event: IssueEvent): string | undefined {
  if (event.isPullRequest) return 'a pull request is never an issue event';
  if (event.senderIsOwnApp) return ownEvent;
  const author = event.authorIsBot ?? event.senderIsBot;
  if (event.action === 'opened' ? author || event.senderIsBot : author && event.senderIsBot)
    return event.action === 'opened' ? 'a bot opened the issue' : 'a bot labeled the issue of a bot';
  return undefined;
}

function pullRequestProblem({ senderIsOwnApp, headBranch }: PullRequestEvent): string | undefined {
  if (headBranch.startsWith('service/')) return 'branches named service/* are the work of runs';
  return senderIsOwnApp ? ownEvent : undefined;
}

function branchMatches(trigger: TriggerSpec, event: SourceEvent): boolean {
  if (trigger.type !== 'onChange' || event.event !== 'pull_request') return true;
  const { branches = [] } = trigger;
  // A leading "!" is part of a name here: with the library's own reading one such glob would match all other branches.
  const matches = (glob: string): boolean => picomatch(glob, globOptions)(event.baseBranch);
  return branches.length === 0 || branches.some(matches);
}

const globOptions = { nonegate: true, noextglob: true, windows: false };

function labelsMatch(trigger: TriggerSpec, event: SourceEvent): boolean {
  const labels = trigger.type === 'cron' ? [] : (trigger.labels ?? []);
  if (labels.length === 0) return true;
  const justAdded = event.event === 'issues' && event.action === 'labeled' ? [event.label ?? ''] : undefined;
  return (justAdded ?? event.labels).some((label) => labels.includes(label));
}
