import * as openid from 'openid-client';
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import {
  choosePrimaryEmail,
  membershipViolation,
  toGithubApiUrl,
  toTeamGroups,
} from '../../rules/access/github-identity.ts';
import type { Identity } from '../../rules/access/identity-violation.ts';
import { readGroupsClaim } from '../../rules/access/read-groups-claim.ts';
import type { GithubClient } from './identity-providers.ts';

const perPage = 100;
/** A person in more organizations or teams is refused, because a part of them would decide about roles by chance. */
const pagesMax = 10;

const Person = z.object({ id: z.number().int().positive() });
const Emails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));
const Organizations = z.array(z.object({ login: z.string() }));
const Teams = z.array(z.object({ slug: z.string(), organization: z.object({ login: z.string() }) }));

type Caller = { client: GithubClient; configuration: openid.Configuration; accessToken: string };

/** Reads who the owner of the token is. The numeric id stays the same when the person changes the name of the account. */
export async function readGithubIdentity(caller: Caller): Promise<Identity> {
  const { organizations: listed } = caller.client;
  const [person, emails, memberOf, teams] = await Promise.all([
    readPage(caller, { path: '/user', schema: Person, permission: 'read the profile' }),
    readAll(caller, { path: '/user/emails', schema: Emails, permission: 'read e-mail addresses' }),
    listed ? readAll(caller, { path: '/user/orgs', schema: Organizations, permission: 'list organizations' }) : [],
    readAll(caller, { path: '/user/teams', schema: Teams, permission: 'list teams' }),
  ]);
  const logins = memberOf.map(({ login }) => login);
  const violation = membershipViolation(logins, listed);
  if (violation !== undefined) throw new ServiceError('identity-not-allowed', violation);
  const known = teams.map(({ slug, organization }) => ({ slug, organization: organization.login }));
  const groups = readGroupsClaim(toTeamGroups(known, listed));
  if (groups === undefined) throw tooMany('/user/teams');
  return { subject: String(person.id), ...choosePrimaryEmail(emails), groups };
}

type Resource<T> = {
  path: string;
  schema: z.ZodType<T>;
  /** The permission of the app that the resource requires, as a verb and its object. */
  permission: string;
};

/** Counts pages by itself: a link in a response could send the token elsewhere. */
async function readAll<T>(caller: Caller, resource: Resource<T[]>): Promise<T[]> {
  const items: T[] = [];
  for (let page = 1; page <= pagesMax; page += 1) {
    const path = `${resource.path}?per_page=${perPage}&page=${page}`;
    const found = await readPage(caller, { ...resource, path });
    items.push(...found);
    if (found.length < perPage) return items;
  }
  throw tooMany(resource.path);
}

async function readPage<T>(
  { client, configuration, accessToken }: Caller,
  { path, schema, permission }: Resource<T>,
): Promise<T> {
  const url = new URL(`${toGithubApiUrl(client.issuer)}${path}`);
  const headers = new Headers({ Accept: 'application/vnd.github+json', 'X-GitHub-Api-Version': '2022-11-28' });
  const response = await openid.fetchProtectedResource(configuration, accessToken, url, 'GET', null, headers);
  if (response.status !== 200) {
    await response.body?.cancel();
    throw toStatusError(response, permission);
  }
  const body: unknown = await response.json().catch(() => undefined);
  const read = schema.safeParse(body);
  if (!read.success) throw unexpected(response);
  return read.data;
}

function toStatusError(response: Response, permission: string): ServiceError {
  const { status, headers } = response;
  if (status === 401)
    return new ServiceError(
      'sign-in-rejected',
      'The code host did not accept the token of the sign-in. Sign in again.',
    );
  const isLimited = status === 429 || headers.get('x-ratelimit-remaining') === '0' || headers.has('retry-after');
  if (isLimited && status < 500)
    return new ServiceError(
      'identity-provider-unavailable',
      'The rate limit of the code host was reached. Try again later.',
    );
  if (status === 403 || status === 404)
    return new ServiceError(
      'identity-not-allowed',
      `The code host does not let the app ${permission}. Sign in again and grant all that it asks for, or ask an admin of the app for the permission.`,
    );
  return unexpected(response);
}

const unexpected = ({ status }: Response): ServiceError =>
  new ServiceError(
    'identity-provider-unavailable',
    `The code host sent an unexpected response with status ${status}. Try again later.`,
  );

const tooMany = (path: string): ServiceError =>
  new ServiceError(
    'sign-in-rejected',
    `The code host lists more than ${perPage * pagesMax} entries at ${path}. A platform admin has to name the organizations that count.`,
  );
