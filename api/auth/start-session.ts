import type { Context } from 'hono';
import { ServiceError } from '../../src/errors.ts';
import { ApiTokenKind, type User } from '../../src/rules/access/kinds.ts';
import { sessionTtlMs } from '../../src/rules/access/session-lifetime.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { setHostCookie } from '../http/cookies.ts';
import { sessionCookie } from './authenticate.ts';
import { issueToken, tokenHolder } from './issue-token.ts';
import { findUserByCredentials } from './passwords.ts';

/** Verifies the credentials and sets the session cookie on the response. */
export async function startSession(
  c: Context<ApiEnv>,
  { store, config, now }: Pick<ApiDeps, 'store' | 'config' | 'now'>,
  credentials: { email: string; password: string },
): Promise<{ user: User; token: string }> {
  const { throttle, hasher, clientAddress } = c.get('signInGuards');
  const attempt = { account: credentials.email.toLowerCase(), address: clientAddress(c) };
  throttle.countAttempt(attempt, now().getTime());
  const user = await findUserByCredentials({ store, hasher }, credentials);
  if (!user) throw new ServiceError('invalid-credentials', 'The e-mail address or the password is wrong.');
  throttle.reset(attempt);
  await deleteExpiredSessions(store, user.metadata.name, now());
  const expiresAt = new Date(now().getTime() + sessionTtlMs).toISOString();
  const spec = {
    use: 'session' as const,
    signInMethod: 'password' as const,
    ...tokenHolder(user),
    label: 'browser',
    expiresAt,
  };
  const { token } = await issueToken(store, spec, user);
  setHostCookie(c, { name: sessionCookie, siteUrl: config.publicUrl, value: token, maxAgeMs: sessionTtlMs });
  return { user, token };
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
