/** The machine-readable reasons why an event starts no run, with their usual messages. */
export const ignoredMessages = {
  'action-ignored': 'events with this action start no runs',
  'author-not-member':
    'the author is not a member or collaborator of the repo, and only a trigger with a label starts runs for others',
  'branch-mismatch': 'no trigger matches this base branch',
  'event-already-handled': 'the event already started a run',
  'event-by-bot': 'a bot caused the event',
  'event-by-service': 'the service itself caused the event',
  'event-invalid': 'the body is not a valid event',
  'event-of-pull-request': 'an event of a pull request is not an issue event',
  'event-type-ignored': 'events of this type start no runs',
  'head-branch-of-run': 'branches named service/* belong to runs',
  'label-mismatch': 'no trigger matches these labels',
  'product-not-found': 'no Product has this repo',
  'quota-reached': 'the org has as many runs as its quota allows',
  'run-in-progress': 'a run for this target is already in progress',
  'start-limit-reached': 'too many runs were started',
  'workflow-disabled': 'the AgentWorkflow is not enabled',
  'workflow-rejected': 'the spec of the AgentWorkflow is not valid',
} as const;
export type IgnoredReason = keyof typeof ignoredMessages;
/** The fixes tell a person how to start a run after all. */
export const ignoredFixes: Record<IgnoredReason, string> = {
  'action-ignored': 'Add a label that a trigger names, or start a run manually.',
  'author-not-member': 'Ask a member of the repo to add a label that a trigger names, or start a run manually.',
  'branch-mismatch': 'Add the base branch to `branches` of a trigger, or start a run manually.',
  'event-already-handled': 'Read the run that the event started.',
  'event-by-bot': 'Add a label that a trigger names as a person, or start a run manually.',
  'event-by-service': 'Start a run manually.',
  'event-invalid': 'Send the delivery again from the code host.',
  'event-of-pull-request': 'Use an `onChange` trigger for pull requests, or start a run manually.',
  'event-type-ignored': 'Start a run manually.',
  'head-branch-of-run': 'Continue the run that owns the branch.',
  'label-mismatch': 'Add a label that a trigger names, or add the label to a trigger.',
  'product-not-found': 'Add the repo to a Product in its settings.',
  'quota-reached': 'Wait until runs of the org finish, then add the label again, or start a run manually.',
  'run-in-progress': 'Wait until the run finishes, or cancel it, then start a run manually.',
  'start-limit-reached':
    'Wait, or raise the limit of runs per target and hour (Settings, Models), then start a run manually.',
  'workflow-disabled': 'Enable the AgentWorkflow (Settings, AgentWorkflows).',
  'workflow-rejected': 'Fix what the condition `Accepted` of the AgentWorkflow names.',
};
/** A label starts nothing for a pull request; the next event finds it there. */
const pullRequestFixes: Partial<Record<IgnoredReason, string>> = {
  'author-not-member':
    'Ask a member of the repo to add a label that a trigger names, then reopen the pull request or push a commit to it, or start a run manually.',
  'label-mismatch':
    'Add a label that a trigger names, or add the label to a trigger, then reopen the pull request or push a commit to it.',
  'quota-reached':
    'Wait until runs of the org finish, then reopen the pull request or push a commit to it, or start a run manually.',
};

export const findIgnoredFix = (reason: IgnoredReason, event: string): string =>
  (event.startsWith('pull_request.') ? pullRequestFixes[reason] : undefined) ?? ignoredFixes[reason];

export const ignoredReasons = Object.keys(ignoredMessages) as [IgnoredReason, ...IgnoredReason[]];

export type Ignored = { reason: IgnoredReason; message: string };

export const ignored = (reason: IgnoredReason, message: string = ignoredMessages[reason]): Ignored => ({
  reason,
  message,
});
