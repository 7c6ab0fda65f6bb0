/** SQLite stores booleans as 0 and 1. */
type Flag = 0 | 1;

export type Account = { id: number; login: string; type: 'Organization' | 'User' | 'Bot'; createdAt: string };

export type AppRow = {
  id: number;
  slug: string;
  name: string;
  ownerId: number;
  botId: number;
  description: string;
  url: string;
  clientId: string;
  publicKey: string;
  hookUrl: string;
  hookActive: Flag;
  webhookSecret: string;
  permissions: string;
  events: string;
  createdAt: string;
};

export type Installation = { id: number; appId: number; accountId: number; createdAt: string };

/** Someone who can sign in to the pages; `emails` is a JSON list. */
export type PersonRow = { id: number; accountId: number; passwordHash: string; emails: string };

/** A program that people sign in to with their account; `callbackUrls` is a JSON list. */
export type OAuthClient = {
  id: number;
  kind: 'oauth-app' | 'github-app';
  name: string;
  clientId: string;
  secretHash: string;
  callbackUrls: string;
};

/** A code that a program exchanges for a token of the person, once. */
export type OAuthCode = {
  id: number;
  hash: string;
  oauthClientId: number;
  accountId: number;
  redirectUri: string;
  scope: string;
  codeChallenge: string | null;
  expiresAt: string;
};

/** A token with which a program acts for a person. Those of an OAuth app do not expire. */
export type UserToken = {
  id: number;
  hash: string;
  kind: 'access' | 'refresh';
  oauthClientId: number;
  accountId: number;
  scope: string;
  expiresAt: string | null;
};

export type Repository = {
  id: number;
  ownerId: number;
  /** The login of the owner, joined in by every query. */
  owner: string;
  name: string;
  private: Flag;
  description: string | null;
  defaultBranch: string;
  createdAt: string;
  updatedAt: string;
  pushedAt: string;
  preReceiveHooks: Flag;
};

export type Issue = {
  id: number;
  repositoryId: number;
  number: number;
  title: string;
  body: string | null;
  state: 'open' | 'closed';
  stateReason: string | null;
  authorId: number;
  closedById: number | null;
  createdAt: string;
  updatedAt: string;
  closedAt: string | null;
};

export type Pull = {
  id: number;
  issueId: number;
  headRef: string;
  headSha: string;
  baseRef: string;
  baseSha: string;
  draft: Flag;
  commits: number;
  additions: number;
  deletions: number;
  changedFiles: number;
  /** Applies to `checkedHead` on `checkedBase` only; it is unknown for any newer commit. */
  mergeable: Flag | null;
  checkedHead: string | null;
  checkedBase: string | null;
  /** The base has commits that the head lacks; it applies to the same commits as `mergeable`. */
  behind: Flag | null;
  testMergeSha: string | null;
  /** The commit of a merge in progress. If the base contains it, the merge happened even if the process crashed. */
  pendingMergeSha: string | null;
  pendingMergeById: number | null;
  mergedAt: string | null;
  mergedById: number | null;
  mergeSha: string | null;
};

/** The requirements of a branch for merges into it. */
export type BranchRules = {
  id: number;
  repositoryId: number;
  name: string;
  source: 'protection' | 'ruleset';
  /** A JSON list of names. */
  requiredChecks: string;
  strict: Flag;
  requiredReviews: number;
  dismissStale: Flag;
  enforceAdmins: Flag;
};

/** A check run or a commit status; `state` is the conclusion of a check run that has completed. */
export type Check = {
  id: number;
  repositoryId: number;
  sha: string;
  kind: 'run' | 'status';
  name: string;
  state: string;
  description: string | null;
  url: string | null;
  createdAt: string;
};

export type Label = { id: number; repositoryId: number; name: string; color: string; description: string | null };

export type Comment = {
  id: number;
  issueId: number;
  authorId: number;
  body: string;
  createdAt: string;
  updatedAt: string;
};

export type Review = {
  id: number;
  pullId: number;
  authorId: number;
  body: string;
  state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED';
  commitSha: string;
  submittedAt: string;
};

export type Release = {
  id: number;
  repositoryId: number;
  tagName: string;
  target: string;
  name: string | null;
  body: string | null;
  draft: Flag;
  prerelease: Flag;
  authorId: number;
  createdAt: string;
  publishedAt: string | null;
};

/** A webhook delivery; `status` is null until the first attempt ends. */
export type Delivery = {
  id: number;
  guid: string;
  appId: number;
  installationId: number;
  repositoryId: number;
  event: string;
  action: string | null;
  payload: string;
  redelivery: Flag;
  deliveredAt: string;
  durationMs: number | null;
  url: string | null;
  requestHeaders: string | null;
  status: string | null;
  statusCode: number | null;
  responseHeaders: string | null;
  responseBody: string | null;
};

/** A change of a branch by an account; a commit of zeros stands for a branch that does not exist. */
export type RefUpdateRow = {
  id: number;
  repositoryId: number;
  ref: string;
  before: string;
  after: string;
  kind: 'branch_creation' | 'branch_deletion' | 'force_push' | 'push';
  actorId: number;
  createdAt: string;
};

export type IssueEventRow = {
  id: number;
  issueId: number;
  event: string;
  actorId: number;
  label: string | null;
  createdAt: string;
};
