import { accountById, accountShape } from './accounts.ts';
import type { Host } from './host.ts';
import { repositoryApiUrl, repositoryUrl } from './repositories.ts';
import type { Account, Comment, Issue, Label, Pull, Repository } from './rows.ts';

export const findIssue = ({ database }: Host, repositoryId: number, number: number): Issue | undefined =>
  database.one<Issue>('SELECT * FROM issues WHERE repositoryId = ? AND number = ?', repositoryId, number);

export function issueById({ database }: Host, id: number): Issue {
  const issue = database.one<Issue>('SELECT * FROM issues WHERE id = ?', id);
  if (issue === undefined) throw new Error(`no issue ${id}`);
  return issue;
}

/** Issues and pull requests count together. */
export const nextNumber = ({ database }: Host, repositoryId: number): number =>
  (database.one<{ last: number | null }>('SELECT max(number) AS last FROM issues WHERE repositoryId = ?', repositoryId)
    ?.last ?? 0) + 1;

export const labelsOf = ({ database }: Host, issueId: number): Label[] =>
  database.all<Label>(
    'SELECT labels.* FROM labels JOIN issueLabels ON labels.id = labelId WHERE issueId = ? ORDER BY issueLabels.id',
    issueId,
  );

export const pullOfIssue = ({ database }: Host, issueId: number): Pull | undefined =>
  database.one<Pull>('SELECT * FROM pulls WHERE issueId = ?', issueId);

export function labelShape(host: Host, repository: Repository, { id, name, color, description }: Label) {
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

export function associationOf({ type }: Account, repository: Repository, author: Account): string {
  if (author.id === repository.ownerId) return 'OWNER';
  return type === 'Organization' && author.type === 'User' ? 'MEMBER' : author.type === 'Bot' ? 'CONTRIBUTOR' : 'NONE';
}

export function commentShape(
  host: Host,
  repository: Repository,
  { comment, issue }: { comment: Comment; issue: Issue },
) {
  const api = repositoryApiUrl(host, repository);
  const author = accountById(host, comment.authorId);
  const kind = pullOfIssue(host, issue.id) === undefined ? 'issues' : 'pull';
  return {
    url: `${api}/issues/comments/${comment.id}`,
    html_url: `${repositoryUrl(host, repository)}/${kind}/${issue.number}#issuecomment-${comment.id}`,
    issue_url: `${api}/issues/${issue.number}`,
    id: comment.id,
    node_id: Buffer.from(`comment:${comment.id}`).toString('base64url'),
    user: accountShape(host, author),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    body: comment.body,
    author_association: associationOf(accountById(host, repository.ownerId), repository, author),
    performed_via_github_app: null,
  };
}

export function issueShape(host: Host, repository: Repository, issue: Issue) {
  const api = repositoryApiUrl(host, repository);
  const url = `${api}/issues/${issue.number}`;
  const pull = pullOfIssue(host, issue.id);
  const html = `${repositoryUrl(host, repository)}/${pull === undefined ? 'issues' : 'pull'}/${issue.number}`;
  const author = accountById(host, issue.authorId);
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
    user: accountShape(host, author),
    labels: labelsOf(host, issue.id).map((label) => labelShape(host, repository, label)),
    state: issue.state,
    locked: false,
    assignee: null,
    assignees: [],
    milestone: null,
    comments:
      host.database.one<{ count: number }>('SELECT count(*) AS count FROM comments WHERE issueId = ?', issue.id)
        ?.count ?? 0,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt,
    author_association: associationOf(accountById(host, repository.ownerId), repository, author),
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
    closed_by: issue.closedById === null ? null : accountShape(host, accountById(host, issue.closedById)),
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
