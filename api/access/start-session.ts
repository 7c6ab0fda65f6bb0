import { getConnInfo } from '@hono/node-server/conninfo';
import { setCookie } from 'hono/cookie';
import type { Context } from 'hono';
import { ServiceError } from '../../src/errors.ts';
import { ApiTokenKind, type User } from '../../src/rules/access/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { sessionCookie } from '../authenticate.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { newToken } from './new-token.ts';
import { userWithPassword } from './passwords.ts';

const sessionMs = 12 * 60 * 60_000;

/** Signs a person in: the session is in the cookie of the answer. */
export async function startSession(
  c: Context<ApiEnv>,
  { store, config, now }: Pick<ApiDeps, 'store' | 'config' | 'now'>,
  credentials: { email: string; password: string },
): Promise<{ user: User; token: string }> {
  const attempt = `${credentials.email.toLowerCase()} ${addressOf(c)}`;
  c.get('throttle').attempt(attempt, now().getTime());
  const user = await userWithPassword(store, credentials);
  if (!user) throw new ServiceError('not-signed-in', 'There is no user with that e-mail address and password.');
  c.get('throttle').forget(attempt);
  await dropExpiredSessions(store, user.metadata.name, now());
  const expiresAt = new Date(now().getTime() + sessionMs).toISOString();
  const { token } = await newToken(store, { use: 'session', user: user.metadata.name, label: 'browser', expiresAt });
  setCookie(c, sessionCookie, token, {
    httpOnly: true,
    sameSite: 'Lax',
    secure: !isLocal(config.publicUrl),
    path: '/',
    maxAge: sessionMs / 1000,
  });
  return { user, token };
}

export const isLocal = (url: string): boolean =>
  /^(localhost|.*\.localhost|127\.0\.0\.1|\[::1\])$/.test(new URL(url).hostname);

function addressOf(c: Context): string {
  // Without a socket (a call inside the process) there is nobody to tell apart.
  return c.env === undefined || !('incoming' in c.env) ? 'here' : (getConnInfo(c).remote.address ?? 'unknown');
}

async function dropExpiredSessions(store: Store, user: string, now: Date): Promise<void> {
  const { items } = await store.list(ApiTokenKind, {
    namespace: systemNamespace,
    fields: { 'spec.user': user, 'spec.use': 'session' },
  });
  const expired = items.filter(
    ({ spec }) => spec.expiresAt !== undefined && Date.parse(spec.expiresAt) <= now.getTime(),
  );
  await Promise.allSettled(expired.map(({ metadata }) => store.delete(ApiTokenKind, metadata)));
}
