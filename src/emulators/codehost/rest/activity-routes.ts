import { getAccount, toAccountJson } from '../accounts.ts';
import type { Host } from '../host.ts';
import type { RefUpdateRow } from '../tables.ts';
import { paginate, getAccessibleRepository } from './requests.ts';
import type { RestApi } from './requests.ts';

/** Lists who moved the branches of a repository, newest first. */
export function activityRoutes(rest: RestApi, host: Host): void {
  rest.get('/v3/repos/:owner/:repo/activity', (c) => {
    const repository = getAccessibleRepository(host, c, { permission: 'contents', level: 'read' });
    const ref = toFullRef(c.req.query('ref'));
    const updates = host.database.all<RefUpdateRow>(
      'SELECT * FROM refUpdates WHERE repositoryId = ? AND ref = coalesce(?, ref) ORDER BY id DESC',
      repository.id,
      ref,
    );
    return c.json(paginate(host, c, updates).map((update) => toActivityJson(host, update)));
  });
}

/** The parameter may be the name of a branch. */
const toFullRef = (ref: string | undefined): string | null =>
  ref === undefined ? null : ref.startsWith('refs/') ? ref : `refs/heads/${ref}`;

const toActivityJson = (host: Host, { id, before, after, ref, kind, actorId, createdAt }: RefUpdateRow) => ({
  id,
  node_id: Buffer.from(`activity:${id}`).toString('base64url'),
  before,
  after,
  ref,
  timestamp: createdAt,
  activity_type: kind,
  actor: toAccountJson(host, getAccount(host, actorId)),
});
