import { getConnInfo } from '@hono/node-server/conninfo';
import { setCookie } from 'hono/cookie';
import type { Context } from 'hono';
import { ServiceError } from '../../src/errors.ts';
import { ApiTokenKind, type User } from '../../src/rules/access/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { sessionCookie } from './authenticate.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { issueToken } from './issue-token.ts';
import { findUserByCredentials } from './passwords.ts';

const sessionTtlMs = 12 * 60 * 60_000;

/** Verifies the credentials and sets the session cookie on the response. */
export async function startSession(
  c: Context<ApiEnv>,
  { store, config, now }: Pick<ApiDeps, 'store' | 'config' | 'now'>,
  credentials: { email: string; password: string },
): Promise<{ user: User; token: string }> {
  const throttleKey = `${credentials.email.toLowerCase()} ${getClientAddress(c)}`;
  c.get('signInThrottle').countAttempt(throttleKey, now().getTime());
  const user = await findUserByCredentials(store, credentials);
  if (!user) throw new ServiceError('invalid-credentials', 'The e-mail address or the password is wrong.');
  c.get('signInThrottle').reset(throttleKey);
  await deleteExpiredSessions(store, user.metadata.name, now());
  const expiresAt = new Date(now().getTime() + sessionTtlMs).toISOString();
  const { token } = await issueToken(store, { use: 'session', user: user.metadata.name, label: 'browser', expiresAt });
  setCookie(c, sessionCookie, token, {
    httpOnly: true,
    sameSite: 'Lax',
    secure: !isLoopbackUrl(config.publicUrl),
    path: '/',
    maxAge: sessionTtlMs / 1000,
  });
  return { user, token };
}

export const isLoopbackUrl = (url: string): boolean =>
  /^(localhost|.*\.localhost|127\.0\.0\.1|\[::1\])$/.test(new URL(url).hostname);

function getClientAddress(c: Context): string {
  // A call inside the process has no socket, so all such calls share one key.
  return c.env === undefined || !('incoming' in c.env) ? 'in-process' : (getConnInfo(c).remote.address ?? 'unknown');
}

async function deleteExpiredSessions(store: Store, user: string, now: Date): Promise<void> {
  const { items } = await store.list(ApiTokenKind, {
    namespace: systemNamespace,
    fields: { 'spec.user': user, 'spec.use': 'session' },
  });
  const expired = items.filter(
    ({ spec }) => spec.expiresAt !== undefined && Date.parse(spec.expiresAt) <= now.getTime(),
  );
  await Promise.allSettled(expired.map(({ metadata }) => store.delete(ApiTokenKind, metadata)));
}
