import type { AgentWorkflowSpec, TriggerSpec } from '../agents/kinds.ts';
import { eventName, type IssueEvent, type PullRequestEvent, type CodehostEvent } from './events.ts';
import { ignored, type Ignored, type IgnoredReason } from './ignored-reasons.ts';
import { matchesGlob } from './matches-glob.ts';

export type TriggerMatch = { starts: true } | ({ starts: false } & Ignored);

/** Decides whether an event starts a run of an AgentWorkflow; undefined when it has no trigger for such events. */
export function matchTriggers(workflow: AgentWorkflowSpec, event: CodehostEvent): TriggerMatch | undefined {
  const triggers = workflow.triggers.filter((trigger) => handlesEvent(trigger, event));
  if (triggers.length === 0) return undefined;
  const found = event.event === 'issues' ? findIgnoredIssue(event) : findIgnoredPullRequest(event);
  if (found !== undefined) return { starts: false, ...found };
  if (!workflow.enabled) return startsNothing('workflow-disabled');
  const branchTriggers = triggers.filter((trigger) => branchMatches(trigger, event));
  if (branchTriggers.length === 0) return startsNothing('branch-mismatch');
  const matching = branchTriggers.filter((trigger) => labelsMatch(trigger, event));
  if (matching.length === 0) return startsNothing('label-mismatch');
  if (isByStranger(event) && !matching.some(requiresLabel)) return startsNothing('author-not-member');
  return { starts: true };
}

const startsNothing = (reason: IgnoredReason): TriggerMatch => ({ starts: false, ...ignored(reason) });

/** Anyone can open an issue or a pull request of a public repo, and a run costs money. Members decide by a label. */
const isByStranger = (event: CodehostEvent): boolean =>
  !(event.event === 'issues' && event.action === 'labeled') && event.authorIsMember !== true;

const requiresLabel = (trigger: TriggerSpec): boolean => listLabels(trigger).length > 0;
const listLabels = (trigger: TriggerSpec): string[] => (trigger.type === 'cron' ? [] : (trigger.labels ?? []));

const handlesEvent = (trigger: TriggerSpec, event: CodehostEvent): boolean =>
  trigger.type === 'onChange'
    ? event.event === 'pull_request'
    : trigger.type === 'event' && event.event === 'issues' && trigger.event === eventName(event);

/**
 * A label that a bot adds to a person's issue starts runs, because many teams triage with bots. A label that a bot adds
 * to a bot's issue starts nothing, so that bots cannot start runs for each other.
 */
function findIgnoredIssue(event: IssueEvent): Ignored | undefined {
  if (event.isPullRequest) return ignored('event-of-pull-request');
  if (event.senderIsOwnApp) return ignored('event-by-service');
  const author = event.authorIsBot ?? event.senderIsBot;
  if (event.action === 'opened' ? author || event.senderIsBot : author && event.senderIsBot)
    return ignored(
      'event-by-bot',
      event.action === 'opened' ? 'a bot opened the issue' : 'a bot labeled an issue that a bot opened',
    );
  return undefined;
}

function findIgnoredPullRequest({ senderIsOwnApp, headBranch }: PullRequestEvent): Ignored | undefined {
  if (headBranch.startsWith('service/')) return ignored('head-branch-of-run');
  return senderIsOwnApp ? ignored('event-by-service') : undefined;
}

function branchMatches(trigger: TriggerSpec, event: CodehostEvent): boolean {
  if (trigger.type !== 'onChange' || event.event !== 'pull_request') return true;
  const { branches = [] } = trigger;
  return branches.length === 0 || branches.some((glob) => matchesGlob(glob, event.baseBranch));
}

/** The code host ignores the letter case of labels: a repo that has "Service" gets no second label "service". */
function labelsMatch(trigger: TriggerSpec, event: CodehostEvent): boolean {
  const labels = listLabels(trigger).map((label) => label.toLowerCase());
  if (labels.length === 0) return true;
  const added = event.event === 'issues' && event.action === 'labeled' ? [event.label ?? ''] : undefined;
  return (added ?? event.labels).some((label) => labels.includes(label.toLowerCase()));
}
