import { getAccount, toAccountJson } from '../accounts.ts';
import type { Host } from '../host.ts';
import { findLabel } from '../labels.ts';
import { getIssue, toIssueJson } from '../issues.ts';
import { repositoryApiUrl } from '../repositories.ts';
import type { IssueEventRow, Repository } from '../tables.ts';
import { issueAccess } from './issue-routes.ts';
import { paginate, getAccessibleRepository } from './requests.ts';
import type { RestApi } from './requests.ts';

/** Lists the events of a repository's issues and pull requests, newest first. */
export function issueEventRoutes(rest: RestApi, host: Host): void {
  rest.get('/v3/repos/:owner/:repo/issues/events', (c) => {
    const repository = getAccessibleRepository(host, c, issueAccess('read'));
    const events = host.database.all<IssueEventRow>(
      'SELECT issueEvents.* FROM issueEvents JOIN issues ON issues.id = issueId WHERE repositoryId = ? ORDER BY issueEvents.id DESC',
      repository.id,
    );
    return c.json(paginate(host, c, events).map((event) => toIssueEventJson(host, repository, event)));
  });
}

function toIssueEventJson(
  host: Host,
  repository: Repository,
  { id, issueId, event, actorId, label, createdAt }: IssueEventRow,
) {
  const found = label === null ? undefined : findLabel(host, repository.id, label);
  return {
    id,
    node_id: Buffer.from(`event:${id}`).toString('base64url'),
    url: `${repositoryApiUrl(host, repository)}/issues/events/${id}`,
    actor: toAccountJson(host, getAccount(host, actorId)),
    event,
    commit_id: null,
    commit_url: null,
    created_at: createdAt,
    ...(label === null ? {} : { label: { name: label, color: found?.color ?? 'ededed' } }),
    issue: toIssueJson(host, repository, getIssue(host, issueId)),
    performed_via_github_app: null,
  };
}
