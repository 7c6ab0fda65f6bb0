import { accountShape, findAccount, organizationShape } from '../accounts.ts';
import { Failure, notFound } from '../failure.ts';
import type { Host } from '../host.ts';
import { part } from './requests.ts';
import type { Rest } from './requests.ts';

export function accountRoutes(rest: Rest, host: Host): void {
  rest.get('/v3/user', (c) => {
    const caller = c.get('caller');
    if (caller.kind === 'anonymous') throw new Failure(401, 'Requires authentication');
    if (caller.kind !== 'user') throw new Failure(403, 'Resource not accessible by integration');
    return c.json({
      ...accountShape(host, caller.account),
      name: caller.account.login,
      email: null,
      created_at: caller.account.createdAt,
    });
  });

  rest.get('/v3/users/:username', (c) => {
    const account = findAccount(host, part(c, 'username'));
    if (account === undefined) throw notFound();
    return c.json({ ...accountShape(host, account), name: account.login, email: null, created_at: account.createdAt });
  });

  rest.get('/v3/orgs/:org', (c) => {
    const account = findAccount(host, part(c, 'org'));
    if (account?.type !== 'Organization') throw notFound();
    return c.json({
      ...organizationShape(host, account),
      name: account.login,
      type: 'Organization',
      created_at: account.createdAt,
    });
  });
}
