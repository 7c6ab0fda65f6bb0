import { isRejected } from '../../src/rules/conditions.ts';
import { hash, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { ServiceError } from '../../src/errors.ts';
import { AccessGroupKind, ApiTokenKind, UserKind, type ApiToken, type User } from '../../src/rules/access/kinds.ts';
import { findOrgRole, type OrgRoles, resolveOrgRoles } from '../../src/rules/access/org-roles.ts';
import type { ProviderGroup } from '../../src/rules/access/provider-group.ts';
import { type Caller, limitRole } from '../../src/rules/access/roles.ts';
import { isSessionIdle } from '../../src/rules/access/session-lifetime.ts';
import { isToken } from '../../src/rules/access/token.ts';
import { ConfigMapKind, SecretKind, readSecretText } from '../../src/kinds/kubernetes.ts';
import { rootUserRef, setupTokenRef } from '../../src/rules/installation/setup-objects.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import type { Store } from '../../src/store/store.ts';
import type { Authenticator, ApiDeps } from '../deps.ts';
import { rootUserExists } from '../installation/root-user.ts';
import { readHostCookie } from '../http/cookies.ts';
import { isPasswordAccepted } from './is-password-accepted.ts';
import { listValidGroups } from './list-valid-groups.ts';
import { createIdentityRenewal } from './renew-identities.ts';
import { assertSameOrigin } from './assert-same-origin.ts';
import { boundedCache } from '../http/bounded-cache.ts';
import { assertUserAccepted } from './assert-user-accepted.ts';

/** Bounds the memory of the tokens whose last use this replica has recorded. */
const recordedTokensMax = 10_000;
/** Bounds the memory of the roles of orgs. */
const knownOrgsMax = 500;

export const sessionCookie = 'svc_session';

/** Names the stored object after the token's hash, because the token itself is never stored. */
export const tokenName = (token: string): string => `token-${hash('sha256', token)}`;

export function createAuthenticator(deps: ApiDeps): Authenticator {
  const { store, now, log, config } = deps;
  // A revocation takes effect at the next request of this replica, and on other replicas when their watch delivers it.
  const reads = cachedReads(store);
  const recordUse = createUseRecorder({ store, now, log });
  const readRoles = createRoleReader(store);
  const renewIdentities = createIdentityRenewal(deps);
  return {
    async authenticate(c, { isUse = true } = {}) {
      const bearer = findBearerToken(c);
      const token = bearer ?? readHostCookie(c, sessionCookie, config.publicUrl);
      if (token === undefined) throw notSignedIn('Sign in, or send a token as "Authorization: Bearer …".');
      if (bearer === undefined) assertSameOrigin(c, config.publicUrl);
      const via = bearer === undefined ? 'session' : 'token';
      const found = await getCredential(token, via);
      const user = await reads.find(UserKind, { namespace: systemNamespace, name: found.spec.user });
      // A person who was removed and created again under the same address is another person.
      if (user?.metadata.uid !== found.spec.userUid) throw revoked();
      const providerGroups = await assertSignInAccepted(user, found.spec);
      if (isUse) await recordUse(found);
      const { email, platformAdmin } = user.spec;
      const { roleMax } = found.spec;
      const caller: Caller = {
        user: user.metadata.name,
        email,
        platformAdmin,
        via,
        providerGroups,
        ...(roleMax && { roleMax }),
      };
      return { caller, credential: found, token };
    },

    assertSignInAccepted,

    async findRole(caller, org) {
      if (caller.platformAdmin) return limitRole('org-admin', caller.roleMax);
      return limitRole(findOrgRole(await readRoles(org), caller), caller.roleMax);
    },

    findOrganization: async (org) => await reads.find(OrganizationKind, { namespace: systemNamespace, name: org }),

    async assertSetupToken(token) {
      if (token === undefined) throw setupTokenRequired();
      const secret = await store.find(SecretKind, setupTokenRef);
      if (!secret && (await store.find(ConfigMapKind, rootUserRef))) throw rootUserExists();
      const expected = readSecretText(secret, 'token');
      if (expected === undefined || !constantTimeEqual(token, expected)) throw setupTokenRequired();
    },
  };

  async function assertSignInAccepted(
    user: User,
    { use, signInMethod, identityProvider }: ApiToken['spec'],
  ): Promise<ProviderGroup[]> {
    assertUserAccepted(user);
    const { groups, providers } = await renewIdentities(user);
    if (signInMethod === 'password' && !(await isPasswordAccepted({ store: reads, config }, user)))
      throw passwordNotAccepted();
    if (identityProvider && !providers.has(identityProvider.uid)) throw refusedByProvider(use);
    return groups;
  }

  async function getCredential(token: string, use: 'session' | 'token'): Promise<ApiToken> {
    const found =
      isToken(token) && (await reads.find(ApiTokenKind, { namespace: systemNamespace, name: tokenName(token) }));
    // A session is not accepted as a bearer token or the reverse, because only sessions are checked for their origin.
    if (!found || found.spec.use !== use || isRejected(found)) throw revoked();
    if (isExpired(found, now()))
      throw new ServiceError(
        'token-expired',
        use === 'session' ? 'The session has expired. Sign in again.' : 'The token has expired. Create a new one.',
      );
    return found;
  }
}

/** Reads the roles of an org's members once until a group changes, because each event of a stream is authorized. */
function createRoleReader(store: Store): (org: string) => Promise<OrgRoles> {
  const known = boundedCache<{ revision: unknown; roles: Promise<OrgRoles> }>(knownOrgsMax);
  const read = async (namespace: string): Promise<OrgRoles> =>
    resolveOrgRoles(await listValidGroups(cachedReads(store), namespace));
  return async (org) => {
    const namespace = orgNamespace(org);
    const revision = store.revision(AccessGroupKind, namespace);
    const current = known.get(org);
    if (current && revision !== undefined && current.revision === revision) return await current.roles;
    const roles = read(namespace);
    known.set(org, { revision, roles });
    // A failure is not kept.
    roles.catch(() => known.delete(org));
    return await roles;
  };
}

const revoked = (): ServiceError =>
  new ServiceError('token-revoked', 'The token is unknown or was revoked. Create a new one, or sign in again.');

const passwordNotAccepted = (): ServiceError =>
  new ServiceError(
    'token-revoked',
    'Only platform admins sign in with a password here, so your session has ended. Sign in through an identity provider.',
  );

const refusedByProvider = (use: ApiToken['spec']['use']): ServiceError =>
  new ServiceError(
    'token-revoked',
    use === 'token'
      ? 'The identity provider no longer lets the owner of the token in. Sign in there again, or create another token.'
      : 'The identity provider that you signed in through has ended the session. Sign in again.',
  );

/** Returns true when the time of a credential is over; that of a session also ends without use. */
export function isExpired({ spec: { use, expiresAt }, status }: ApiToken, now: Date): boolean {
  if (expiresAt === undefined) return false;
  return (
    Date.parse(expiresAt) <= now.getTime() ||
    (use === 'session' && isSessionIdle({ expiresAt, lastUsedAt: status?.lastUsedAt }, now))
  );
}

/** Records the last use at most once a minute, because a write per request would cost more than the request. */
function createUseRecorder({ store, now, log }: Pick<ApiDeps, 'store' | 'now' | 'log'>) {
  const recorded = boundedCache<number>(recordedTokensMax);
  return async ({ metadata, status }: ApiToken): Promise<void> => {
    const at = now();
    const last = Math.max(recorded.get(metadata.name) ?? 0, Date.parse(status?.lastUsedAt ?? '') || 0);
    if (at.getTime() - last < 60_000) return;
    recorded.set(metadata.name, at.getTime());
    try {
      await store.updateStatus(ApiTokenKind, metadata, () => ({ lastUsedAt: at.toISOString() }));
    } catch (error) {
      recorded.delete(metadata.name);
      log.warn({ error: String(error) }, 'Failed to record the last use of a token');
    }
  };
}

const setupTokenRequired = (): ServiceError =>
  notSignedIn('Send the setup token as X-Service-Setup-Token; it is in the secret "service-setup", key "token".');

const notSignedIn = (detail: string): ServiceError => new ServiceError('not-signed-in', detail);

function findBearerToken(c: Context): string | undefined {
  const header = c.req.header('authorization');
  if (header === undefined) return undefined;
  const token = /^bearer +(\S+)$/i.exec(header)?.[1];
  if (token === undefined) throw notSignedIn('The Authorization header is malformed. Send "Bearer" and a token.');
  return token;
}

/** Compares in constant time, so that the response time does not reveal a correct prefix. */
function constantTimeEqual(one: string, other: string): boolean {
  const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
  return timingSafeEqual(digest(one), digest(other));
}
