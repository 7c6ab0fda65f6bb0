/** The machine-readable reasons why an event starts no run, with their usual messages. */
export const ignoredMessages = {
  'action-ignored': 'events with this action start no runs',
  'author-not-member':
    'the author is no member or collaborator of the repo, and only a trigger with a label starts runs for others',
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
  'run-in-progress': 'a run for this target is already in progress',
  'start-limit-reached': 'too many runs were started',
  'workflow-disabled': 'the AgentWorkflow is not enabled',
} as const;
export type IgnoredReason = keyof typeof ignoredMessages;
export const ignoredReasons = Object.keys(ignoredMessages) as [IgnoredReason, ...IgnoredReason[]];

export type Ignored = { reason: IgnoredReason; message: string };

export const ignored = (reason: IgnoredReason, message: string = ignoredMessages[reason]): Ignored => ({
  reason,
  message,
});
