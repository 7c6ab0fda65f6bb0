import { timingSafeEqual } from 'node:crypto';
import { getAccount } from './accounts.ts';
import { hashToken } from './hash-token.ts';
import { HttpError, notFound } from './http-error.ts';
import type { Host } from './host.ts';
import { findUserToken, readGrant } from './oauth/tokens.ts';
import { verifyAppToken } from './verify-app-token.ts';
import type { Account, AppRow, Installation, OAuthClient, Repository } from './tables.ts';

export type Permissions = Record<string, string>;

export type Caller =
  | { kind: 'anonymous' }
  | { kind: 'user'; account: Account }
  /** A program that acts for a person who has let it. */
  | { kind: 'person'; account: Account; scopes: string[]; clientKind: OAuthClient['kind'] }
  | { kind: 'app'; app: AppRow }
  | {
      kind: 'installation';
      tokenHash: string;
      account: Account;
      app: AppRow;
      installation: Installation;
      permissions: Permissions;
      repositoryIds: number[] | null;
    };

export type Access = { permission: string; level: 'read' | 'write' };

const badCredentials = (): HttpError => new HttpError(401, 'Bad credentials');

/** Reads an Authorization header of the REST API. */
export function authenticate(host: Host, authorization: string | undefined): Caller {
  if (authorization === undefined) return { kind: 'anonymous' };
  const [, scheme = '', value = ''] = /^(\w+) +(.+)$/.exec(authorization) ?? [];
  if (/^basic$/i.test(scheme))
    return authenticateToken(
      host,
      Buffer.from(value, 'base64')
        .toString()
        .replace(/^[^:]*:/, ''),
    );
  if (!/^(bearer|token)$/i.test(scheme)) throw badCredentials();
  return value.split('.').length === 3
    ? { kind: 'app', app: verifyAppToken(host, value) }
    : authenticateToken(host, value);
}

/** Resolves a personal or an installation token to its caller. */
export function authenticateToken(host: Host, token: string): Caller {
  const hash = hashToken(token);
  if (timingSafeEqual(Buffer.from(hash), Buffer.from(hashToken(host.userToken))))
    return { kind: 'user', account: host.owner };

  const userToken = findUserToken(host, token, 'access');
  if (userToken)
    return { kind: 'person', account: getAccount(host, userToken.accountId), ...readGrant(host, userToken) };

  const known = host.database.get<{
    installationId: number;
    permissions: string;
    repositoryIds: string | null;
    expiresAt: string;
  }>('SELECT * FROM installationTokens WHERE hash = ?', hash);
  if (known === undefined || Date.parse(known.expiresAt) <= Date.now()) throw badCredentials();
  const installation = host.database.get<Installation>(
    'SELECT * FROM installations WHERE id = ?',
    known.installationId,
  );
  const app = host.database.get<AppRow>('SELECT * FROM apps WHERE id = ?', installation?.appId ?? 0);
  if (installation === undefined || app === undefined) throw badCredentials();
  return {
    kind: 'installation',
    tokenHash: hash,
    account: getAccount(host, app.botId),
    app,
    installation,
    permissions: JSON.parse(known.permissions) as Permissions,
    repositoryIds: known.repositoryIds === null ? null : (JSON.parse(known.repositoryIds) as number[]),
  };
}

/** A repository that the caller cannot see results in 404, as if it did not exist. */
export function assertAccess(caller: Caller, repository: Repository, access: Access): void {
  if (caller.kind === 'user') return;
  const open = repository.private === 0 && access.level === 'read';
  if (open && caller.kind === 'person') return;
  if (caller.kind === 'anonymous') {
    if (open) return;
    throw repository.private === 0 ? new HttpError(401, 'Requires authentication') : notFound();
  }
  if (caller.kind !== 'installation' || !coversRepository(caller, repository)) throw notFound();
  if (!open) assertPermission(caller.permissions, access);
}

const coversRepository = (
  { installation, repositoryIds }: Extract<Caller, { kind: 'installation' }>,
  { id, ownerId }: Repository,
): boolean => installation.accountId === ownerId && (repositoryIds === null || repositoryIds.includes(id));

export function assertPermission(permissions: Permissions, { permission, level }: Access): void {
  const granted = permissions[permission];
  const enough =
    granted === 'write' ||
    granted === 'admin' ||
    (level === 'read' && (granted === 'read' || permission === 'metadata'));
  if (!enough) throw new HttpError(403, 'Resource not accessible by integration');
}
