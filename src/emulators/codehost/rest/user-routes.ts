import { getAccount, toAccountJson, toOrganizationJson } from '../accounts.ts';
import { HttpError, notFound } from '../http-error.ts';
import type { Host } from '../host.ts';
import { listEmails, listMemberOrganizations, listMemberTeams, type Team } from '../people.ts';
import type { Account } from '../tables.ts';
import { paginate } from './requests.ts';
import type { RestApi, RestContext } from './requests.ts';

/** Serves what a person has let a program read about their account. */
export function userRoutes(rest: RestApi, host: Host): void {
  rest.get('/v3/user/emails', (c) => {
    const account = getPerson(c, ['user', 'user:email']);
    const emails = listEmails(host, account).map((email) => ({
      ...email,
      visibility: email.primary ? ('private' as const) : null,
    }));
    return c.json(paginate(host, c, emails));
  });
  rest.get('/v3/user/orgs', (c) => {
    const account = getPerson(c, ['user', 'read:org']);
    return c.json(
      paginate(host, c, listMemberOrganizations(host, account)).map((org) => toOrganizationJson(host, org)),
    );
  });
  rest.get('/v3/user/teams', (c) => {
    const account = getPerson(c, ['user', 'repo', 'read:org']);
    return c.json(paginate(host, c, listMemberTeams(host, account)).map((team) => toTeamJson(host, team)));
  });
}

/** An OAuth app that lacks the scopes gets 404, and a GitHub App that lacks the permission 403, as at GitHub. */
function getPerson(c: RestContext, scopes: readonly string[]): Account {
  const caller = c.get('caller');
  if (caller.kind === 'anonymous') throw new HttpError(401, 'Requires authentication');
  if (caller.kind === 'user') return caller.account;
  if (caller.kind === 'person' && caller.scopes.some((scope) => scopes.includes(scope))) return caller.account;
  if (caller.kind === 'person' && caller.clientKind === 'oauth-app') throw notFound();
  throw new HttpError(403, 'Resource not accessible by integration');
}

function toTeamJson(host: Host, { id, slug, orgId }: Team) {
  const organization = getAccount(host, orgId);
  const url = `${host.apiUrl}/organizations/${orgId}/team/${id}`;
  return {
    id,
    node_id: Buffer.from(`team:${id}`).toString('base64url'),
    url,
    html_url: `${host.url}/orgs/${organization.login}/teams/${slug}`,
    name: slug,
    slug,
    description: null,
    privacy: 'closed',
    permission: 'pull',
    members_url: `${url}/members{/member}`,
    repositories_url: `${url}/repos`,
    parent: null,
    organization: { ...toAccountJson(host, organization), ...toOrganizationJson(host, organization) },
  };
}
