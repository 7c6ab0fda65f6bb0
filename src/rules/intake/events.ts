type RepoEvent = {
  repo: string;
  number: number;
  /** All labels of the issue or pull request. */
  labels: string[];
  /** The time of the event, by the clock of the code host. */
  at?: string;
  /** The author may write to the repo, as an owner, member or collaborator. Absent when the code host does not say so. */
  authorIsMember?: boolean;
  /** The accounts that sent the event and that wrote the issue or pull request, without bots. */
  people?: string[];
  /** Events that the service causes itself start nothing. */
  senderIsOwnApp?: boolean;
};

/** The facts of an issue event that decide what it starts. */
export type IssueEvent = RepoEvent & {
  event: 'issues';
  action: 'opened' | 'labeled';
  /** The added label, for `labeled`. */
  label?: string;
  senderIsBot: boolean;
  authorIsBot?: boolean;
  /** Set because code hosts also report pull requests as issues. */
  isPullRequest: boolean;
  openedAt?: string;
};

export type PullRequestEvent = RepoEvent & {
  event: 'pull_request';
  action: 'opened' | 'reopened' | 'synchronize';
  baseBranch: string;
  headBranch: string;
};

/** A code host event that may start runs. */
export type CodehostEvent = IssueEvent | PullRequestEvent;

/** Names an event for people; the names of issue events are those that triggers use. */
export const eventName = ({ event, action }: CodehostEvent): string =>
  `${event === 'issues' ? 'issue' : 'pull_request'}.${action}`;

/** Returns whether the code host's word for the author's relation to the repo stands for write access. */
export const isMemberAssociation = (association: string | null | undefined): boolean =>
  ['OWNER', 'MEMBER', 'COLLABORATOR'].includes(association ?? '');
