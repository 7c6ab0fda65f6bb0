import { getAccount, toAccountJson } from './accounts.ts';
import type { Host } from './host.ts';
import { repositoryApiUrl, repositoryUrl } from './repositories.ts';
import type { Account, Comment, Issue, Label, Pull, Repository } from './tables.ts';

export const findIssue = ({ database }: Host, repositoryId: number, number: number): Issue | undefined =>
  database.get<Issue>('SELECT * FROM issues WHERE repositoryId = ? AND number = ?', repositoryId, number);

export function getIssue({ database }: Host, id: number): Issue {
  const issue = database.get<Issue>('SELECT * FROM issues WHERE id = ?', id);
  if (issue === undefined) throw new Error(`no issue ${id}`);
  return issue;
}

/** Issues and pull requests share one sequence of numbers. */
export const nextIssueNumber = ({ database }: Host, repositoryId: number): number =>
  (database.get<{ last: number | null }>('SELECT max(number) AS last FROM issues WHERE repositoryId = ?', repositoryId)
    ?.last ?? 0) + 1;

export const listIssueLabels = ({ database }: Host, issueId: number): Label[] =>
  database.all<Label>(
    'SELECT labels.* FROM labels JOIN issueLabels ON labels.id = labelId WHERE issueId = ? ORDER BY issueLabels.id',
    issueId,
  );

export const findPullByIssue = ({ database }: Host, issueId: number): Pull | undefined =>
  database.get<Pull>('SELECT * FROM pulls WHERE issueId = ?', issueId);

export function toLabelJson(host: Host, repository: Repository, { id, name, color, description }: Label) {
  const url = `${repositoryApiUrl(host, repository)}/labels/${encodeURIComponent(name)}`;
  return {
    id,
    node_id: Buffer.from(`label:${id}`).toString('base64url'),
    url,
    name,
    color,
    default: false,
    description,
  };
}

export function toAuthorAssociation({ type }: Account, repository: Repository, author: Account): string {
  if (author.id === repository.ownerId) return 'OWNER';
  return type === 'Organization' && author.type === 'User' ? 'MEMBER' : author.type === 'Bot' ? 'CONTRIBUTOR' : 'NONE';
}

export function toCommentJson(
  host: Host,
  repository: Repository,
  { comment, issue }: { comment: Comment; issue: Issue },
) {
  const api = repositoryApiUrl(host, repository);
  const author = getAccount(host, comment.authorId);
  const kind = findPullByIssue(host, issue.id) === undefined ? 'issues' : 'pull';
  return {
    url: `${api}/issues/comments/${comment.id}`,
    html_url: `${repositoryUrl(host, repository)}/${kind}/${issue.number}#issuecomment-${comment.id}`,
    issue_url: `${api}/issues/${issue.number}`,
    id: comment.id,
    node_id: Buffer.from(`comment:${comment.id}`).toString('base64url'),
    user: toAccountJson(host, author),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    body: comment.body,
    author_association: toAuthorAssociation(getAccount(host, repository.ownerId), repository, author),
    performed_via_github_app: null,
  };
}

export function toIssueJson(host: Host, repository: Repository, issue: Issue) {
  const api = repositoryApiUrl(host, repository);
  const url = `${api}/issues/${issue.number}`;
  const pull = findPullByIssue(host, issue.id);
  const html = `${repositoryUrl(host, repository)}/${pull === undefined ? 'issues' : 'pull'}/${issue.number}`;
  const author = getAccount(host, issue.authorId);
  return {
    url,
    repository_url: api,
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: html,
    id: issue.id,
    node_id: Buffer.from(`issue:${issue.id}`).toString('base64url'),
    number: issue.number,
    title: issue.title,
    user: toAccountJson(host, author),
    labels: listIssueLabels(host, issue.id).map((label) => toLabelJson(host, repository, label)),
    state: issue.state,
    locked: false,
    assignee: null,
    assignees: [],
    milestone: null,
    comments:
      host.database.get<{ count: number }>('SELECT count(*) AS count FROM comments WHERE issueId = ?', issue.id)
        ?.count ?? 0,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt,
    author_association: toAuthorAssociation(getAccount(host, repository.ownerId), repository, author),
    active_lock_reason: null,
    ...(pull === undefined
      ? {}
      : {
          draft: pull.draft === 1,
          pull_request: {
            url: `${api}/pulls/${issue.number}`,
            html_url: html,
            diff_url: `${html}.diff`,
            patch_url: `${html}.patch`,
            merged_at: pull.mergedAt,
          },
        }),
    body: issue.body,
    closed_by: issue.closedById === null ? null : toAccountJson(host, getAccount(host, issue.closedById)),
    reactions: {
      url: `${url}/reactions`,
      total_count: 0,
      '+1': 0,
      '-1': 0,
      laugh: 0,
      hooray: 0,
      confused: 0,
      heart: 0,
      rocket: 0,
      eyes: 0,
    },
    timeline_url: `${url}/timeline`,
    performed_via_github_app: null,
    state_reason: issue.stateReason,
  };
}
