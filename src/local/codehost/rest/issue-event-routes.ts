import { accountById, accountShape } from '../accounts.ts';
import type { Host } from '../host.ts';
import { findLabel } from '../labels.ts';
import { issueById, issueShape } from '../issues.ts';
import { repositoryApiUrl } from '../repositories.ts';
import type { IssueEventRow, Repository } from '../rows.ts';
import { issueAccess } from './issue-routes.ts';
import { paginate, reach } from './requests.ts';
import type { Rest } from './requests.ts';

/** What happened to the issues and pull requests of a repository, newest first. */
export function issueEventRoutes(rest: Rest, host: Host): void {
  rest.get('/v3/repos/:owner/:repo/issues/events', (c) => {
    const repository = reach(host, c, issueAccess('read'));
    const events = host.database.all<IssueEventRow>(
      'SELECT issueEvents.* FROM issueEvents JOIN issues ON issues.id = issueId WHERE repositoryId = ? ORDER BY issueEvents.id DESC',
      repository.id,
    );
    return c.json(paginate(host, c, events).map((event) => eventShape(host, repository, event)));
  });
}

function eventShape(
  host: Host,
  repository: Repository,
  { id, issueId, event, actorId, label, createdAt }: IssueEventRow,
) {
  const found = label === null ? undefined : findLabel(host, repository.id, label);
  return {
    id,
    node_id: Buffer.from(`event:${id}`).toString('base64url'),
    url: `${repositoryApiUrl(host, repository)}/issues/events/${id}`,
    actor: accountShape(host, accountById(host, actorId)),
    event,
    commit_id: null,
    commit_url: null,
    created_at: createdAt,
    ...(label === null ? {} : { label: { name: label, color: found?.color ?? 'ededed' } }),
    issue: issueShape(host, repository, issueById(host, issueId)),
    performed_via_github_app: null,
  };
}
