import type { BranchFacts } from '../../rules/changes/branch-violation.ts';
import type { CodehostEvent } from '../../rules/intake/events.ts';

/** The operations of a code host. `org` is an org of this service, and `repo` is `<owner>/<repo>`. */
export type Codehost = {
  /** Throws `codehost-not-connected` while the org has no code host. */
  forOrg(org: string): Promise<OrgCodehost>;
};

export type Issue = {
  number: number;
  title: string;
  body: string;
  url: string;
  state: 'open' | 'closed';
  closeReason?: 'completed' | 'not-planned';
  closedAt?: string;
  labels: string[];
  author: string;
  authorIsBot: boolean;
  isPullRequest: boolean;
  createdAt: string;
  updatedAt: string;
};

export type PullRequest = {
  number: number;
  nodeId: string;
  url: string;
  title: string;
  state: 'open' | 'closed';
  draft: boolean;
  merged: boolean;
  mergeCommit: string | undefined;
  /** The test merge commit of the code host, while the pull request is open and mergeable. */
  testMergeCommit: string | undefined;
  headBranch: string;
  /** Differs from the base repo for a fork; undefined when the fork was deleted. */
  headRepo: string | undefined;
  headSha: string;
  baseBranch: string;
  baseSha: string;
  /** `unknown` while the code host computes it, so it must not decide anything. */
  mergeable: 'yes' | 'conflicted' | 'unknown';
  /** Whether the rules of the base branch allow the merge: `behind` when it must first contain the base. */
  rules: 'passed' | 'blocked' | 'behind';
};

export type MergeOutcome =
  | { outcome: 'merged'; commit: string }
  /** The head is not the commit that should be merged. */
  | { outcome: 'head-moved'; message: string; headSha?: string }
  /** The merge can be retried: the base moved, or the code host has not processed a push yet. */
  | { outcome: 'base-moved'; message: string }
  /** The rules of the base branch require a check or a review first; `needsPerson` unless only checks are running. */
  | { outcome: 'blocked'; message: string; needsPerson: boolean }
  /** The rules of the base branch require that the head contains it; `updatePullRequestBranch` does that. */
  | { outcome: 'behind'; message: string }
  /** The base already contains all changes. */
  | { outcome: 'up-to-date'; message: string }
  | { outcome: 'conflicted' | 'closed' | 'refused'; message: string };

/** One file of a commit: text, bytes, or `null` to delete it. */
export type FileChange = { path: string; content: string | Uint8Array | null };

export type DiffFile = {
  path: string;
  /** The path before a rename or copy. */
  previousPath?: string;
  status: 'added' | 'removed' | 'modified' | 'renamed' | 'copied';
  additions: number;
  deletions: number;
  /** The hunks of a unified diff; absent if no line changed, or if `omitted` says why. */
  patch?: string;
  omitted?: 'binary' | 'too-large';
};

export type Diff = {
  /** The commit that the files are compared with. */
  base: string;
  head: string;
  files: DiffFile[];
  /** The code host lists no more files of a large diff. */
  isTruncated: boolean;
};

export type Comparison = {
  relation: 'identical' | 'ahead' | 'behind' | 'diverged';
  /** The number of commits on the head that are not on the base. */
  aheadBy: number;
  behindBy: number;
  /** The newest of those on the head, newest first. */
  commits: CommitSummary[];
  /** The files that the head changes since the two parted, and their lines. */
  files: FileTotals;
};
export type FileTotals = {
  count: number;
  additions: number;
  deletions: number;
  /** The code host lists no more files of a large diff. */
  isTruncated: boolean;
};
export type CommitSummary = {
  sha: string;
  message: string;
  url: string;
  /** The accounts of the author and the committer without bots; absent when one of them belongs to no account. */
  people?: string[];
};

/** A change of a branch from one commit to another, also by the pages or the API of the code host. */
export type Push = {
  /** Absent when the push created the branch. */
  before?: string;
  after: string;
  /** The account that pushed, without bots; absent when the code host does not say who it was. */
  people?: string[];
};

type CloneCredentials = { url: string; username: string; password: string };

export type OrgCodehost = {
  getRepository(repo: string): Promise<{ defaultBranch: string; cloneUrl: string; private: boolean }>;
  /** Returns undefined when the repo does not exist, or when the org's application has no access to it. */
  findRepository(repo: string): Promise<{ defaultBranch: string; description: string } | undefined>;
  /** Throws when the org's application lacks the permission to create repos. */
  assertMayCreateRepository(repo: string): Promise<void>;
  /** Creates the repo with one initial commit when it does not exist. */
  ensureRepository(repo: string, description: string): Promise<{ defaultBranch: string; cloneUrl: string }>;
  /** Returns the URL and an Authorization header for git that are valid for at least some minutes. */
  getGitRemote(repo: string): Promise<{ url: string; authorization: string }>;
  /** Also allows pushes that change the files which the code host runs as CI. */
  getCiGitRemote(repo: string): Promise<{ url: string; authorization: string }>;
  /** Creates credentials with which other programs can read the repo by git, and nothing else, for an hour. */
  createCloneCredentials(repo: string): Promise<CloneCredentials>;

  getIssue(repo: string, number: number): Promise<Issue>;
  /** With `since`, only issues updated after it. */
  listIssues(repo: string, query: { state: 'open' | 'closed' | 'all'; since?: string }): Promise<Issue[]>;
  createIssue(repo: string, issue: { title: string; body: string; labels: string[] }): Promise<Issue>;
  /** Edits the comment of the org's application that contains the marker, or creates one. */
  upsertComment(
    repo: string,
    comment: { number: number; marker: string; body: string; since: string },
  ): Promise<{ url: string }>;
  addLabels(repo: string, number: number, labels: string[]): Promise<void>;
  /** Succeeds when the issue does not have the label. */
  removeLabel(repo: string, number: number, label: string): Promise<void>;

  /** Lists the events that may start runs: opened issues and pull requests, added labels, reopened pull requests. */
  listEventsSince(repo: string, since: string): Promise<CodehostEvent[]>;
  /** Requests redelivery of failed deliveries with exponential backoff. Returns how many. */
  redeliverFailedDeliveries(query: { since: string; now: Date; retryDelayMs: number }): Promise<number>;

  findBranchHead(repo: string, branch: string): Promise<string | undefined>;
  getBranchFacts(repo: string, branch: string): Promise<BranchFacts>;
  getCommit(repo: string, sha: string): Promise<{ sha: string; message: string; parents: string[] }>;
  /** Lists the commits on `head` that are not on `base`, oldest first; of more than 1,000, only the newest 1,000. */
  listCommitsBetween(repo: string, base: string, head: string): Promise<{ sha: string; message: string }[]>;
  isAncestor(repo: string, ancestor: string, descendant: string): Promise<boolean>;
  /** Compares two commits. Returns undefined when the repo lacks one of them, or when they have no common history. */
  compareCommits(repo: string, base: string, head: string): Promise<Comparison | undefined>;
  /** Returns the newest commits of a history, newest first. */
  listNewestCommits(repo: string, head: string): Promise<CommitSummary[]>;
  /** Returns the newest pushes to a branch, newest first. */
  listPushes(repo: string, branch: string): Promise<Push[]>;
  /** Returns the changes of a commit relative to its first parent. */
  getCommitDiff(repo: string, sha: string): Promise<Diff>;
  /** Returns the changes of a pull request relative to the commit at which it left its base. */
  getPullRequestDiff(repo: string, number: number): Promise<Diff>;
  /** Returns the changes of a commit relative to the commit at which it left the base branch. */
  getBranchDiff(repo: string, branch: { base: string; head: string }): Promise<Diff>;
  /** Returns the text of a file, or the first MiB of a larger one. */
  readFile(repo: string, path: string, ref: string): Promise<string | undefined>;
  /** Returns the blob hash of a file. */
  findFileSha(repo: string, path: string, ref: string): Promise<string | undefined>;
  /** Lists the paths of all files below a folder. */
  listFiles(repo: string, folder: string, ref: string): Promise<string[]>;
  /**
   * Resets `branch` to one commit on top of `base` with these changes. Returns undefined, and leaves the branch alone,
   * when they change nothing.
   */
  commitFiles(
    repo: string,
    commit: { branch: string; base: string; message: string; changes: FileChange[] },
  ): Promise<string | undefined>;
  deleteBranch(repo: string, branch: string): Promise<void>;

  getPullRequest(repo: string, number: number): Promise<PullRequest>;
  /** Returns the newest pull request from the branch, in any state. */
  findPullRequest(repo: string, headBranch: string): Promise<PullRequest | undefined>;
  /** Lists the open pull requests from branches of the repo that begin with a prefix. */
  listOpenPullRequests(repo: string, headPrefix: string): Promise<Pick<PullRequest, 'number' | 'headBranch'>[]>;
  openPullRequest(
    repo: string,
    pull: { headBranch: string; baseBranch: string; title: string; body: string; draft: boolean },
  ): Promise<PullRequest>;
  markReadyForReview(repo: string, pull: PullRequest): Promise<void>;
  mergePullRequest(
    repo: string,
    merge: { number: number; headSha: string; title: string; message: string },
  ): Promise<MergeOutcome>;
  /** Merges the base into the head of a pull request, unless the head has moved. */
  updatePullRequestBranch(repo: string, pull: { number: number; headSha: string }): Promise<void>;
  closePullRequest(repo: string, number: number): Promise<void>;

  /** Lists the tags that are versions; others are ignored. */
  listVersionTags(repo: string): Promise<{ name: string; commit: string }[]>;
  /** Creates the tag. Throws `tag-exists` when it exists at another commit. */
  ensureTag(repo: string, tag: { name: string; commit: string }): Promise<void>;
  ensureRelease(repo: string, release: { tag: string; title: string; body: string }): Promise<{ url: string }>;
  findRelease(repo: string, tag: string): Promise<{ url: string; body: string } | undefined>;
};
