import { getAccount, toAccountJson } from './accounts.ts';
import type { Host } from './host.ts';
import { toAuthorAssociation, getIssue, listIssueLabels, toLabelJson } from './issues.ts';
import { judgeMergeState } from './protection/merge-state.ts';
import { findBranchSha, repositoryApiUrl, toRepositoryJson, repositoryUrl } from './repositories.ts';
import type { Issue, Pull, Repository } from './tables.ts';

/** A pull request and the issue with its number, texts and state. */
export type PullRequest = { pull: Pull; issue: Issue };

export function findPull(host: Host, repositoryId: number, number: number): PullRequest | undefined {
  const pull = host.database.get<Pull>(
    'SELECT pulls.* FROM pulls JOIN issues ON issues.id = issueId WHERE repositoryId = ? AND number = ?',
    repositoryId,
    number,
  );
  return pull && { pull, issue: getIssue(host, pull.issueId) };
}

export function findPullById(host: Host, id: number): PullRequest | undefined {
  const pull = host.database.get<Pull>('SELECT * FROM pulls WHERE id = ?', id);
  return pull && { pull, issue: getIssue(host, pull.issueId) };
}

export function listRepositoryPulls(host: Host, repositoryId: number): PullRequest[] {
  const pulls = host.database.all<Pull>(
    'SELECT pulls.* FROM pulls JOIN issues ON issues.id = issueId WHERE repositoryId = ? ORDER BY number',
    repositoryId,
  );
  return pulls.map((pull) => ({ pull, issue: getIssue(host, pull.issueId) }));
}

export const listOpenPulls = (host: Host, repositoryId: number): PullRequest[] =>
  listRepositoryPulls(host, repositoryId).filter(({ issue }) => issue.state === 'open');

/** Returns null until mergeability is known for the current head and base. */
export function readMergeability(host: Host, repository: Repository, { pull, issue }: PullRequest): boolean | null {
  if (issue.state !== 'open' || pull.mergeable === null) return null;
  const current =
    pull.checkedHead === pull.headSha && pull.checkedBase === findBranchSha(host, repository.id, pull.baseRef);
  return current ? pull.mergeable === 1 : null;
}

export const toPullNodeId = ({ id }: Pull): string => `PR_${Buffer.from(`pull:${id}`).toString('base64url')}`;

/** Returns the id in a node id of `toPullNodeId`. */
export function parsePullNodeId(nodeId: string): number | undefined {
  const [, id] = /^pull:(\d+)$/.exec(Buffer.from(nodeId.replace(/^PR_/, ''), 'base64url').toString()) ?? [];
  return id === undefined ? undefined : Number(id);
}

/** The form in lists. */
export function toPullJson(host: Host, repository: Repository, { pull, issue }: PullRequest) {
  const api = repositoryApiUrl(host, repository);
  const url = `${api}/pulls/${issue.number}`;
  const html = `${repositoryUrl(host, repository)}/pull/${issue.number}`;
  const issueUrl = `${api}/issues/${issue.number}`;
  const author = getAccount(host, issue.authorId);
  const repo = toRepositoryJson(host, repository);
  const side = (ref: string, sha: string) => ({
    label: `${repository.owner}:${ref}`,
    ref,
    sha,
    user: repo.owner,
    repo,
  });
  return {
    url,
    id: pull.id,
    node_id: toPullNodeId(pull),
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    issue_url: issueUrl,
    number: issue.number,
    state: issue.state,
    locked: false,
    title: issue.title,
    user: toAccountJson(host, author),
    body: issue.body,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt,
    merged_at: pull.mergedAt,
    merge_commit_sha: pull.mergeSha ?? pull.testMergeSha,
    assignee: null,
    assignees: [],
    requested_reviewers: [],
    requested_teams: [],
    labels: listIssueLabels(host, issue.id).map((label) => toLabelJson(host, repository, label)),
    milestone: null,
    draft: pull.draft === 1,
    commits_url: `${url}/commits`,
    review_comments_url: `${url}/comments`,
    review_comment_url: `${api}/pulls/comments{/number}`,
    comments_url: `${issueUrl}/comments`,
    statuses_url: `${api}/statuses/${pull.headSha}`,
    head: side(pull.headRef, pull.headSha),
    base: side(pull.baseRef, pull.baseSha),
    _links: {
      self: { href: url },
      html: { href: html },
      issue: { href: issueUrl },
      comments: { href: `${issueUrl}/comments` },
      review_comments: { href: `${url}/comments` },
      review_comment: { href: `${api}/pulls/comments{/number}` },
      commits: { href: `${url}/commits` },
      statuses: { href: `${api}/statuses/${pull.headSha}` },
    },
    author_association: toAuthorAssociation(getAccount(host, repository.ownerId), repository, author),
    auto_merge: null,
    active_lock_reason: null,
  };
}

/** The form of a single pull request and in webhooks. */
export function toPullDetailJson(host: Host, repository: Repository, request: PullRequest) {
  const { pull, issue } = request;
  const mergeable = readMergeability(host, repository, request);
  const comments =
    host.database.get<{ count: number }>('SELECT count(*) AS count FROM comments WHERE issueId = ?', issue.id)?.count ??
    0;
  return {
    ...toPullJson(host, repository, request),
    merged: pull.mergedAt !== null,
    mergeable,
    rebaseable: mergeable,
    mergeable_state: judgeMergeState(host, repository, { request, mergeable }),
    merged_by: pull.mergedById === null ? null : toAccountJson(host, getAccount(host, pull.mergedById)),
    comments,
    review_comments: 0,
    maintainer_can_modify: false,
    commits: pull.commits,
    additions: pull.additions,
    deletions: pull.deletions,
    changed_files: pull.changedFiles,
  };
}
