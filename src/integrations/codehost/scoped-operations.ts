import type { OrgCodehost } from './codehost.ts';
import type { Scope } from './scoped-auth.ts';

export type RepoOperations = Omit<OrgCodehost, 'redeliverFailedDeliveries'>;

/** The permissions that each operation needs. */
const operationScopes: Record<keyof RepoOperations, Scope> = {
  getRepository: 'read',
  findRepository: 'read',
  assertMayCreateRepository: 'createRepository',
  ensureRepository: 'createRepository',
  getGitRemote: 'push',
  getCiGitRemote: 'pushCi',
  createCloneCredentials: 'clone',
  getIssue: 'read',
  listIssues: 'read',
  createIssue: 'issues',
  upsertComment: 'issues',
  addLabels: 'issues',
  removeLabel: 'issues',
  listEventsSince: 'read',
  findBranchHead: 'read',
  getBranchFacts: 'read',
  getCommit: 'read',
  listCommitsBetween: 'read',
  isAncestor: 'read',
  compareCommits: 'read',
  listNewestCommits: 'read',
  listPushes: 'read',
  getCommitDiff: 'read',
  getPullRequestDiff: 'read',
  getBranchDiff: 'read',
  readFile: 'read',
  findFileSha: 'read',
  listFiles: 'read',
  commitFiles: 'code',
  deleteBranch: 'code',
  getPullRequest: 'read',
  findPullRequest: 'read',
  listOpenPullRequests: 'read',
  openPullRequest: 'code',
  markReadyForReview: 'code',
  mergePullRequest: 'merge',
  updatePullRequestBranch: 'merge',
  closePullRequest: 'code',
  listVersionTags: 'read',
  ensureTag: 'code',
  ensureRelease: 'code',
  findRelease: 'read',
};

/** Runs each operation with a token for the repo and the permissions of that operation only. */
export function scopedOperations(connect: (repo: string, scope: Scope) => RepoOperations): RepoOperations {
  const entries = Object.entries(operationScopes).map(([name, scope]) => {
    const run = async (repo: string, ...parameters: unknown[]): Promise<unknown> => {
      const operation = connect(repo, scope)[name as keyof RepoOperations] as (...all: unknown[]) => Promise<unknown>;
      return await operation(repo, ...parameters);
    };
    return [name, run];
  });
  return Object.fromEntries(entries) as RepoOperations;
}
