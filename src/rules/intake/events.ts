type OfRepo = {
  repo: string;
  number: number;
  /** All that it carries. */
  labels: string[];
  /** When it happened, by the code host's clock. */
  at?: string;
  /** What the service does itself starts nothing. */
  senderIsOwnApp?: boolean;
};

/** What an issue event says, reduced to what decides. */
export type IssueEvent = OfRepo & {
  event: 'issues';
  action: 'opened' | 'labeled';
  /** The label just added, for `labeled`. */
  label?: string;
  senderIsBot: boolean;
  authorIsBot?: boolean;
  /** Code hosts also report pull requests as issues. */
  isPullRequest: boolean;
  openedAt?: string;
};

export type PullRequestEvent = OfRepo & {
  event: 'pull_request';
  action: 'opened' | 'reopened' | 'synchronize';
  baseBranch: string;
  headBranch: string;
};

/** An event of the code host that may start runs. */
export type SourceEvent = IssueEvent | PullRequestEvent;

/** As people read it, and for issues as triggers name it. */
export const eventName = ({ event, action }: SourceEvent): string =>
  `${event === 'issues' ? 'issue' : 'pull_request'}.${action}`;
