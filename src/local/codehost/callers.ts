import { createHash, timingSafeEqual } from 'node:crypto';
import { accountById } from './accounts.ts';
import { Failure, notFound } from './failure.ts';
import type { Host } from './host.ts';
import { verifyAppToken } from './app-token.ts';
import type { Account, AppRow, Installation, Repository } from './rows.ts';

export type Permissions = Record<string, string>;

/** Who asks. */
export type Caller =
  | { kind: 'anonymous' }
  | { kind: 'user'; account: Account }
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

export const tokenHash = (token: string): string => createHash('sha256').update(token).digest('hex');

const badCredentials = (): Failure => new Failure(401, 'Bad credentials');

/** Reads an Authorization header of the REST API. */
export function callerOf(host: Host, authorization: string | undefined): Caller {
  if (authorization === undefined) return { kind: 'anonymous' };
  const [, scheme = '', value = ''] = /^(\w+) +(.+)$/.exec(authorization) ?? [];
  if (/^basic$/i.test(scheme))
    return callerOfToken(
      host,
      Buffer.from(value, 'base64')
        .toString()
        .replace(/^[^:]*:/, ''),
    );
  if (!/^(bearer|token)$/i.test(scheme)) throw badCredentials();
  return value.split('.').length === 3 ? { kind: 'app', app: verifyAppToken(host, value) } : callerOfToken(host, value);
}

/** Whom a personal or an installation token speaks for. */
export function callerOfToken(host: Host, token: string): Caller {
  const hash = tokenHash(token);
  if (timingSafeEqual(Buffer.from(hash), Buffer.from(tokenHash(host.userToken))))
    return { kind: 'user', account: host.owner };

  const known = host.database.one<{
    installationId: number;
    permissions: string;
    repositoryIds: string | null;
    expiresAt: string;
  }>('SELECT * FROM installationTokens WHERE hash = ?', hash);
  if (known === undefined || Date.parse(known.expiresAt) <= Date.now()) throw badCredentials();
  const installation = host.database.one<Installation>(
    'SELECT * FROM installations WHERE id = ?',
    known.installationId,
  );
  const app = host.database.one<AppRow>('SELECT * FROM apps WHERE id = ?', installation?.appId ?? 0);
  if (installation === undefined || app === undefined) throw badCredentials();
  return {
    kind: 'installation',
    tokenHash: hash,
    account: accountById(host, app.botId),
    app,
    installation,
    permissions: JSON.parse(known.permissions) as Permissions,
    repositoryIds: known.repositoryIds === null ? null : (JSON.parse(known.repositoryIds) as number[]),
  };
}

/** What the caller cannot see answers as if it were not there. */
export function mustReach(caller: Caller, repository: Repository, access: Access): void {
  if (caller.kind === 'user') return;
  const open = repository.private === 0 && access.level === 'read';
  if (caller.kind === 'anonymous') {
    if (open) return;
    throw repository.private === 0 ? new Failure(401, 'Requires authentication') : notFound();
  }
  if (caller.kind !== 'installation' || !covers(caller, repository)) throw notFound();
  if (!open) mustBeGranted(caller.permissions, access);
}

const covers = (
  { installation, repositoryIds }: Extract<Caller, { kind: 'installation' }>,
  { id, ownerId }: Repository,
): boolean => installation.accountId === ownerId && (repositoryIds === null || repositoryIds.includes(id));

export function mustBeGranted(permissions: Permissions, { permission, level }: Access): void {
  const granted = permissions[permission];
  const enough =
    granted === 'write' ||
    granted === 'admin' ||
    (level === 'read' && (granted === 'read' || permission === 'metadata'));
  if (!enough) throw new Failure(403, 'Resource not accessible by integration');
}
