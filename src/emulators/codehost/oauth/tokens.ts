import { createHash, randomBytes } from 'node:crypto';
import { hashToken } from '../hash-token.ts';
import type { Host } from '../host.ts';
import type { Account, OAuthClient, OAuthCode, UserToken } from '../tables.ts';

type HasDatabase = Pick<Host, 'database'>;

const codeLifetimeMs = 10 * 60_000;
const accessLifetimeS = 8 * 3600;
const refreshLifetimeS = 184 * 24 * 3600;

type Grant = {
  client: OAuthClient;
  account: Account;
  redirectUri: string;
  scope: string;
  codeChallenge: string | undefined;
};

export function issueCode({ database }: HasDatabase, grant: Grant): string {
  const code = randomBytes(10).toString('hex');
  database.insert('oauthCodes', {
    hash: hashToken(code),
    oauthClientId: grant.client.id,
    accountId: grant.account.id,
    redirectUri: grant.redirectUri,
    scope: grant.scope,
    codeChallenge: grant.codeChallenge ?? null,
    expiresAt: new Date(Date.now() + codeLifetimeMs).toISOString(),
  });
  return code;
}

/** Finds a code, and deletes it, so that it is exchanged once. Returns undefined when it has expired. */
export function takeCode({ database }: HasDatabase, code: string): OAuthCode | undefined {
  return database.transaction(() => {
    const found = database.get<OAuthCode>('SELECT * FROM oauthCodes WHERE hash = ?', hashToken(code));
    if (found) database.run('DELETE FROM oauthCodes WHERE id = ?', found.id);
    return found && Date.parse(found.expiresAt) > Date.now() ? found : undefined;
  });
}

export const isVerifier = (challenge: string, verifier: string): boolean =>
  createHash('sha256').update(verifier).digest('base64url') === challenge;

type TokenOwner = { client: OAuthClient; accountId: number; scope: string };

/** Issues a token that lasts to an OAuth app, and one that expires, with a refresh token, to a GitHub App. */
export function issueTokens(host: HasDatabase, owner: TokenOwner): Record<string, string | number> {
  const shared = { token_type: 'bearer', scope: owner.client.kind === 'oauth-app' ? owner.scope : '' };
  if (owner.client.kind === 'oauth-app')
    return { access_token: saveToken(host, owner, { kind: 'access', prefix: 'gho_' }), ...shared };
  return {
    access_token: saveToken(host, owner, { kind: 'access', prefix: 'ghu_', lifetimeS: accessLifetimeS }),
    expires_in: accessLifetimeS,
    refresh_token: saveToken(host, owner, { kind: 'refresh', prefix: 'ghr_', lifetimeS: refreshLifetimeS }),
    refresh_token_expires_in: refreshLifetimeS,
    ...shared,
  };
}

type NewToken = { kind: UserToken['kind']; prefix: string; lifetimeS?: number };

function saveToken({ database }: HasDatabase, owner: TokenOwner, { kind, prefix, lifetimeS }: NewToken): string {
  const token = `${prefix}${randomBytes(18).toString('hex')}`;
  database.insert('userTokens', {
    hash: hashToken(token),
    kind,
    oauthClientId: owner.client.id,
    accountId: owner.accountId,
    scope: owner.scope,
    expiresAt: lifetimeS === undefined ? null : new Date(Date.now() + lifetimeS * 1000).toISOString(),
  });
  return token;
}

export function findUserToken(
  { database }: HasDatabase,
  token: string,
  kind: UserToken['kind'],
): UserToken | undefined {
  const found = database.get<UserToken>('SELECT * FROM userTokens WHERE hash = ? AND kind = ?', hashToken(token), kind);
  return found && (found.expiresAt === null || Date.parse(found.expiresAt) > Date.now()) ? found : undefined;
}

export const deleteUserToken = ({ database }: HasDatabase, { id }: UserToken): void =>
  database.run('DELETE FROM userTokens WHERE id = ?', id);

/** Ends the access of all programs to an account, as the person does in the settings of the code host. */
export const revokeGrants = ({ database }: HasDatabase, { id }: Account): void =>
  database.run('DELETE FROM userTokens WHERE accountId = ?', id);

/** The permissions of a GitHub App that stand for scopes. */
const permissionScopes: Record<string, string> = { email_addresses: 'user:email', members: 'read:org' };

type UserGrant = { clientKind: OAuthClient['kind']; scopes: string[] };

/** Reads what a token may do. A GitHub App has the permissions of its registration in the place of scopes. */
export function readGrant({ database }: HasDatabase, { oauthClientId, scope }: UserToken): UserGrant {
  const app = database.get<{ permissions: string }>(
    'SELECT permissions FROM apps JOIN oauthClients ON oauthClients.clientId = apps.clientId WHERE oauthClients.id = ?',
    oauthClientId,
  );
  if (!app) return { clientKind: 'oauth-app', scopes: scope.split(',') };
  const permissions = Object.keys(JSON.parse(app.permissions) as object);
  return { clientKind: 'github-app', scopes: permissions.flatMap((name) => permissionScopes[name] ?? []) };
}
