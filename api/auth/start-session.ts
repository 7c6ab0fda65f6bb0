import type { Context } from 'hono';
import { ServiceError } from '../../src/errors.ts';
import { getProviderType, type IdentityProvider } from '../../src/rules/access/identity-provider.ts';
import { ApiTokenKind, type User } from '../../src/rules/access/kinds.ts';
import { sessionTtlMs } from '../../src/rules/access/session-lifetime.ts';
import type { Store } from '../../src/store/store.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { setHostCookie } from '../http/cookies.ts';
import { sessionCookie } from './authenticate.ts';
import { isPasswordAccepted } from './is-password-accepted.ts';
import { issueToken, tokenHolder } from './issue-token.ts';
import { findUserByCredentials } from './passwords.ts';
import { listSessions } from './sessions.ts';

type Credentials = { email: string; password: string };

/** Returns the user of the credentials, or undefined if they are wrong. The attempt counts against the limits. */
export async function verifyPassword(
  c: Context<ApiEnv>,
  { store, now }: Pick<ApiDeps, 'store' | 'now'>,
  credentials: Credentials,
): Promise<User | undefined> {
  const { attempts, hasher, clientAddress } = c.get('signInGuards');
  const attempt = { account: credentials.email.toLowerCase(), address: clientAddress(c) };
  await attempts.count(attempt, now().getTime());
  const user = await findUserByCredentials({ store, hasher }, credentials);
  if (user) await attempts.reset(attempt, now().getTime());
  return user;
}

/** Verifies the credentials and sets the session cookie on the response. */
export async function startSession(
  c: Context<ApiEnv>,
  { store, config, now }: Pick<ApiDeps, 'store' | 'config' | 'now'>,
  credentials: Credentials,
): Promise<{ user: User; token: string }> {
  const user = await verifyPassword(c, { store, now }, credentials);
  if (!user) throw new ServiceError('invalid-credentials', 'The e-mail address or the password is wrong.');
  if (!(await isPasswordAccepted({ store, config }, user)))
    throw new ServiceError(
      'password-not-accepted',
      'Only platform admins sign in with a password here. Sign in through an identity provider.',
    );
  const token = await createSession(c, { store, config, now }, { user });
  return { user, token };
}

type NewSession = {
  user: User;
  /** The identity provider that has confirmed who the user is; absent after a password. */
  provider?: IdentityProvider;
};

/** Starts another session in every browser that signs in, so that none continues one that was planted in it. */
export async function createSession(
  c: Context<ApiEnv>,
  { store, config, now }: Pick<ApiDeps, 'store' | 'config' | 'now'>,
  { user, provider }: NewSession,
): Promise<string> {
  await deleteExpiredSessions(store, user.metadata.name, now());
  const spec = {
    use: 'session' as const,
    signInMethod: toSignInMethod(provider),
    ...(provider && { identityProvider: { name: provider.metadata.name, uid: provider.metadata.uid } }),
    ...tokenHolder(user),
    label: 'browser',
    expiresAt: new Date(now().getTime() + sessionTtlMs).toISOString(),
  };
  const { token } = await issueToken(store, spec, user);
  setHostCookie(c, { name: sessionCookie, siteUrl: config.publicUrl, value: token, maxAgeMs: sessionTtlMs });
  return token;
}

function toSignInMethod(provider: IdentityProvider | undefined): 'password' | 'oidc' | 'codehost' {
  if (!provider) return 'password';
  return getProviderType(provider.spec) === 'github' ? 'codehost' : 'oidc';
}

async function deleteExpiredSessions(store: Store, user: string, now: Date): Promise<void> {
  const expired = (await listSessions(store, user)).filter(
    ({ spec }) => spec.expiresAt !== undefined && Date.parse(spec.expiresAt) <= now.getTime(),
  );
  await Promise.allSettled(expired.map(({ metadata }) => store.delete(ApiTokenKind, metadata)));
}
