import type { Context } from 'hono';
import { ignoreNotFound, ServiceError } from '../../src/errors.ts';
import { getProviderType, type IdentityProvider } from '../../src/rules/access/identity-provider.ts';
import { type ApiToken, ApiTokenKind, type User } from '../../src/rules/access/kinds.ts';
import { sessionTtlMs } from '../../src/rules/access/session-lifetime.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { listHostCookies, setHostCookie } from '../http/cookies.ts';
import { sessionCookie, tokenName } from './authenticate.ts';
import { assertUserAccepted } from './assert-user-accepted.ts';
import { isPasswordAccepted } from './is-password-accepted.ts';
import { issueToken, tokenHolder } from './issue-token.ts';
import { findUserByCredentials, isPasswordCurrent, type VerifiedUser } from './passwords.ts';
import { listSessions } from './sessions.ts';

type Credentials = { email: string; password: string };

/** Returns the user of the credentials, or undefined if they are wrong. The attempt counts against the limits. */
export async function verifyPassword(
  c: Context<ApiEnv>,
  { store, now }: Pick<ApiDeps, 'store' | 'now'>,
  credentials: Credentials,
): Promise<VerifiedUser | undefined> {
  const { attempts, hasher, clientAddress } = c.get('signInGuards');
  const attempt = { account: credentials.email.toLowerCase(), address: clientAddress(c) };
  await attempts.count(attempt, now().getTime());
  const verified = await findUserByCredentials({ store, hasher }, credentials);
  if (verified) await attempts.reset(attempt, now().getTime());
  return verified;
}

/** Verifies the credentials and sets the session cookie on the response. */
export async function startSession(
  c: Context<ApiEnv>,
  { store, config, now }: Pick<ApiDeps, 'store' | 'config' | 'now'>,
  credentials: Credentials,
): Promise<{ user: User; token: string }> {
  const verified = await verifyPassword(c, { store, now }, credentials);
  if (!verified) throw wrongCredentials();
  const { user } = verified;
  assertUserAccepted(user);
  if (!(await isPasswordAccepted({ store, config }, user)))
    throw new ServiceError(
      'password-not-accepted',
      'Only platform admins sign in with a password here. Sign in through an identity provider.',
    );
  const { token, stored } = await issueSession({ store, now }, { user });
  // A change of the password ends the sessions that it finds, and this one may be younger.
  if (!(await isPasswordCurrent(store, verified))) {
    await store.delete(ApiTokenKind, stored.metadata).catch(ignoreNotFound);
    throw wrongCredentials();
  }
  await replaceSession(c, { store, config }, token);
  return { user, token };
}

const wrongCredentials = (): ServiceError =>
  new ServiceError('invalid-credentials', 'The e-mail address or the password is wrong.');

type NewSession = {
  user: User;
  /** The identity provider that has confirmed who the user is; absent after a password. */
  provider?: IdentityProvider;
};

/** Starts another session in every browser that signs in, so that none continues one that was planted in it. */
export async function createSession(
  c: Context<ApiEnv>,
  { store, config, now }: Pick<ApiDeps, 'store' | 'config' | 'now'>,
  session: NewSession,
): Promise<string> {
  const { token } = await issueSession({ store, now }, session);
  await replaceSession(c, { store, config }, token);
  return token;
}

async function issueSession(
  { store, now }: Pick<ApiDeps, 'store' | 'now'>,
  { user, provider }: NewSession,
): Promise<{ token: string; stored: ApiToken }> {
  await deleteExpiredSessions(store, user.metadata.name, now());
  const spec = {
    use: 'session' as const,
    signInMethod: toSignInMethod(provider),
    ...(provider && { identityProvider: { name: provider.metadata.name, uid: provider.metadata.uid } }),
    ...tokenHolder(user),
    label: 'browser',
    expiresAt: new Date(now().getTime() + sessionTtlMs).toISOString(),
  };
  return await issueToken(store, spec, user);
}

/**
 * Sets the session cookie, and ends the session that the browser had: an event stream of another tab would otherwise
 * continue with the rights of the earlier person.
 */
async function replaceSession(
  c: Context<ApiEnv>,
  { store, config: { publicUrl } }: Pick<ApiDeps, 'store' | 'config'>,
  token: string,
): Promise<void> {
  const [replaced, ...others] = listHostCookies(c, sessionCookie, publicUrl);
  setHostCookie(c, { name: sessionCookie, siteUrl: publicUrl, value: token, maxAgeMs: sessionTtlMs });
  // Another host may have planted one of two.
  if (replaced === undefined || others.length > 0) return;
  const ref = { namespace: systemNamespace, name: tokenName(replaced) };
  const session = await store.find(ApiTokenKind, ref);
  if (session?.spec.use === 'session') await store.delete(ApiTokenKind, ref).catch(ignoreNotFound);
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
