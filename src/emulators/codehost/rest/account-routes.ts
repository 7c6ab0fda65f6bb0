import { toAccountJson, findAccount, toOrganizationJson } from '../accounts.ts';
import { HttpError, notFound } from '../http-error.ts';
import type { Host } from '../host.ts';
import { getPathParam } from './requests.ts';
import type { RestApi } from './requests.ts';

export function accountRoutes(rest: RestApi, host: Host): void {
  rest.get('/v3/user', (c) => {
    const caller = c.get('caller');
    if (caller.kind === 'anonymous') throw new HttpError(401, 'Requires authentication');
    if (caller.kind !== 'user' && caller.kind !== 'person')
      throw new HttpError(403, 'Resource not accessible by integration');
    return c.json({
      ...toAccountJson(host, caller.account),
      name: caller.account.login,
      email: null,
      created_at: caller.account.createdAt,
    });
  });

  rest.get('/v3/users/:username', (c) => {
    const account = findAccount(host, getPathParam(c, 'username'));
    if (account === undefined) throw notFound();
    return c.json({ ...toAccountJson(host, account), name: account.login, email: null, created_at: account.createdAt });
  });

  rest.get('/v3/orgs/:org', (c) => {
    const account = findAccount(host, getPathParam(c, 'org'));
    if (account?.type !== 'Organization') throw notFound();
    return c.json({
      ...toOrganizationJson(host, account),
      name: account.login,
      type: 'Organization',
      created_at: account.createdAt,
    });
  });
}
