import type { SourceEvent } from '../../rules/intake/events.ts';

/** The code host in our words; `org` is ours, `repo` is `<owner>/<repo>`. */
export type Codehost = {
  /** Refused as `conflict` while the org is not connected to its code host. */
  forOrg(org: string): Promise<OrgCodehost>;
};

export type Issue = {
  number: number;
  title: string;
  body: string;
  url: string;
  state: 'open' | 'closed';
  closedAs?: 'completed' | 'not-planned';
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
  /** While it is open and can be merged: the commit that the code host tried the merge out with. */
  testMerge: string | undefined;
  headBranch: string;
  /** Another repo where it comes from a fork, none where that is gone. */
  headRepo: string | undefined;
  headSha: string;
  baseBranch: string;
  baseSha: string;
  /** `unknown` while the code host still computes it: it never decides anything. */
  mergeable: 'yes' | 'conflicted' | 'unknown';
};

export type MergeOutcome =
  | { outcome: 'merged'; commit: string }
  /** The head is another than the one that was to be merged. */
  | { outcome: 'head-moved'; message: string; headSha?: string }
  /** Not at this moment: the base moved under the merge, or the code host has not caught up with a push. */
  | { outcome: 'base-moved'; message: string }
  /** The base has all of it already. */
  | { outcome: 'empty'; message: string }
  | { outcome: 'conflicted' | 'closed' | 'refused'; message: string };

/** One file to write (or delete, with `content: null`) in a commit; what is not text comes as bytes. */
export type FileChange = { path: string; content: string | Uint8Array | null };

export type OrgCodehost = {
  repository(repo: string): Promise<{ defaultBranch: string; cloneUrl: string; private: boolean }>;
  /** Looks the repo up first; made with one initial commit. */
  ensureRepository(repo: string, description: string): Promise<{ defaultBranch: string; cloneUrl: string }>;
  /** What git needs to reach the repo: the URL and the value of an Authorization header, good for some minutes at least. */
  gitRemote(repo: string): Promise<{ url: string; authorization: string }>;

  issue(repo: string, number: number): Promise<Issue>;
  /** `since`: only what was updated from then on. */
  issues(repo: string, query: { state: 'open' | 'closed' | 'all'; since?: string }): Promise<Issue[]>;
  createIssue(repo: string, issue: { title: string; body: string; labels: string[] }): Promise<Issue>;
  /** Edits the comment of our own application that holds the marker; where there is none, one is made. */
  ensureComment(
    repo: string,
    comment: { number: number; marker: string; body: string; since: string },
  ): Promise<{ url: string }>;
  addLabels(repo: string, number: number, labels: string[]): Promise<void>;
  /** A label that is not there is as good as removed. */
  removeLabel(repo: string, number: number, label: string): Promise<void>;

  /** What happened from then on and may start runs: openings, labels on issues, pull requests reopened. */
  eventsSince(repo: string, since: string): Promise<SourceEvent[]>;
  /** Has deliveries from then on that never got through sent again, ever more rarely; answers how many. */
  redeliverFailed(query: { since: string; now: Date; againMs: number }): Promise<number>;

  branchHead(repo: string, branch: string): Promise<string | undefined>;
  /** The commit message of a commit, and its parents. */
  commit(repo: string, sha: string): Promise<{ sha: string; message: string; parents: string[] }>;
  commitsBetween(repo: string, base: string, head: string): Promise<{ sha: string; message: string }[]>;
  isAncestor(repo: string, ancestor: string, descendant: string): Promise<boolean>;
  readFile(repo: string, path: string, ref: string): Promise<string | undefined>;
  /** What git calls the content of a file. */
  fileSha(repo: string, path: string, ref: string): Promise<string | undefined>;
  /** All files below a folder, by their paths in the repo. */
  filesBelow(repo: string, folder: string, ref: string): Promise<string[]>;
  /**
   * Makes `branch` one commit on top of `base` with these changes, whatever the branch held before;
   * `undefined` when they change nothing.
   */
  commitFiles(
    repo: string,
    commit: { branch: string; base: string; message: string; changes: FileChange[] },
  ): Promise<string | undefined>;
  deleteBranch(repo: string, branch: string): Promise<void>;

  pullRequest(repo: string, number: number): Promise<PullRequest>;
  /** The newest pull request from that branch, in any state. */
  findPullRequest(repo: string, headBranch: string): Promise<PullRequest | undefined>;
  openPullRequest(
    repo: string,
    pull: { headBranch: string; baseBranch: string; title: string; body: string; draft: boolean },
  ): Promise<PullRequest>;
  markReady(pull: PullRequest): Promise<void>;
  merge(
    repo: string,
    merge: { number: number; headSha: string; title: string; message: string },
  ): Promise<MergeOutcome>;
  closePullRequest(repo: string, number: number): Promise<void>;

  /** All tags of the form vX.Y.Z with their commits. */
  versionTags(repo: string): Promise<{ name: string; commit: string }[]>;
  /** Creates the tag at the commit; a tag of that name at another commit is refused as `conflict`. */
  ensureTag(repo: string, tag: { name: string; commit: string }): Promise<void>;
  ensureRelease(repo: string, release: { tag: string; title: string; body: string }): Promise<{ url: string }>;
  /** The code-host release of a tag. */
  release(repo: string, tag: string): Promise<{ url: string; body: string } | undefined>;
};
