import type { AgentWorkflowSpec, TriggerSpec } from '../agents/kinds.ts';
import { eventName, type IssueEvent, type PullRequestEvent, type CodehostEvent } from './events.ts';
import { matchesGlob } from './matches-glob.ts';

export type TriggerMatch = { starts: true } | { starts: false; reason: string };

/** Decides whether an event starts a run of an AgentWorkflow; undefined when it has no trigger for such events. */
export function matchTriggers(workflow: AgentWorkflowSpec, event: CodehostEvent): TriggerMatch | undefined {
  const triggers = workflow.triggers.filter((trigger) => handlesEvent(trigger, event));
  if (triggers.length === 0) return undefined;
  const ignoredReason = event.event === 'issues' ? issueIgnoredReason(event) : pullRequestIgnoredReason(event);
  if (ignoredReason !== undefined) return { starts: false, reason: ignoredReason };
  if (!workflow.enabled) return { starts: false, reason: 'the AgentWorkflow is not enabled' };
  const branchTriggers = triggers.filter((trigger) => branchMatches(trigger, event));
  if (branchTriggers.length === 0) return { starts: false, reason: 'no trigger matches this base branch' };
  const matching = branchTriggers.filter((trigger) => labelsMatch(trigger, event));
  if (matching.length === 0) return { starts: false, reason: 'no trigger matches these labels' };
  if (isByStranger(event) && !matching.some(requiresLabel)) return { starts: false, reason: strangerReason };
  return { starts: true };
}

const strangerReason =
  'the author is no member or collaborator of the repo, and only a trigger with a label starts runs for others';

/** Anyone can open an issue or a pull request of a public repo, and a run costs money. Members decide by a label. */
const isByStranger = (event: CodehostEvent): boolean =>
  !(event.event === 'issues' && event.action === 'labeled') && event.authorIsMember !== true;

const requiresLabel = (trigger: TriggerSpec): boolean => listLabels(trigger).length > 0;
const listLabels = (trigger: TriggerSpec): string[] => (trigger.type === 'cron' ? [] : (trigger.labels ?? []));

const handlesEvent = (trigger: TriggerSpec, event: CodehostEvent): boolean =>
  trigger.type === 'onChange'
    ? event.event === 'pull_request'
    : trigger.type === 'event' && event.event === 'issues' && trigger.event === eventName(event);

const ownEventReason = 'the service itself caused the event';

/**
 * A label that a bot adds to a person's issue starts runs, because many teams triage with bots. A label that a bot adds
 * to a bot's issue starts nothing, so that bots cannot start runs for each other.
 */
function issueIgnoredReason(event: IssueEvent): string | undefined {
  if (event.isPullRequest) return 'an event of a pull request is not an issue event';
  if (event.senderIsOwnApp) return ownEventReason;
  const author = event.authorIsBot ?? event.senderIsBot;
  if (event.action === 'opened' ? author || event.senderIsBot : author && event.senderIsBot)
    return event.action === 'opened' ? 'a bot opened the issue' : 'a bot labeled an issue that a bot opened';
  return undefined;
}

function pullRequestIgnoredReason({ senderIsOwnApp, headBranch }: PullRequestEvent): string | undefined {
  if (headBranch.startsWith('service/')) return 'branches named service/* belong to runs';
  return senderIsOwnApp ? ownEventReason : undefined;
}

function branchMatches(trigger: TriggerSpec, event: CodehostEvent): boolean {
  if (trigger.type !== 'onChange' || event.event !== 'pull_request') return true;
  const { branches = [] } = trigger;
  return branches.length === 0 || branches.some((glob) => matchesGlob(glob, event.baseBranch));
}

function labelsMatch(trigger: TriggerSpec, event: CodehostEvent): boolean {
  const labels = listLabels(trigger);
  if (labels.length === 0) return true;
  const added = event.event === 'issues' && event.action === 'labeled' ? [event.label ?? ''] : undefined;
  return (added ?? event.labels).some((label) => labels.includes(label));
}
