import { ignoreNotFound, isServiceError } from '../../src/errors.ts';
import type { RenewedIdentity } from '../../src/integrations/identity/identity-providers.ts';
import { type Secret, SecretKind } from '../../src/kinds/kubernetes.ts';
import { emailDomainViolation } from '../../src/rules/access/email-domain-violation.ts';
import { isCheckDue } from '../../src/rules/access/identity-freshness.ts';
import type { IdentityProvider } from '../../src/rules/access/identity-provider.ts';
import { listCurrentGroups } from '../../src/rules/access/list-current-groups.ts';
import { ApiTokenKind, type User, UserKind, type UserIdentity } from '../../src/rules/access/kinds.ts';
import type { ProviderGroup } from '../../src/rules/access/provider-group.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import { deleteUnlessChanged } from '../../src/store/delete-unless-changed.ts';
import type { ApiDeps } from '../deps.ts';
import { findIdentityProvider, readClientSecret, toProviderClient } from '../identity/identity-provider.ts';
import { findRefreshToken, readRefreshToken, rotateRefreshToken } from './refresh-tokens.ts';
import { listSessions } from './sessions.ts';

type Deps = Pick<ApiDeps, 'store' | 'identityProviders' | 'config' | 'now' | 'log'>;
type Known = {
  groups: ProviderGroup[];
  /** The uids of the identity providers that let the user in. */
  providers: Set<string>;
};

/**
 * Returns what identity providers say about a user. A provider whose answer is older than five minutes is asked again
 * first, because a person may have lost a group or the account there. It is asked with the request that needs the answer,
 * so one that belongs to no one who uses the service is never asked.
 */
export function createIdentityRenewal(deps: Deps): (user: User) => Promise<Known> {
  const { store, now } = deps;
  const reads = cachedReads(store);
  const running = new Map<string, Promise<void>>();
  const renewOnce = async (user: User, identity: UserIdentity): Promise<void> => {
    const key = `${user.metadata.uid} ${identity.providerUid}`;
    const renewal = running.get(key) ?? renew(deps, user, identity).finally(() => running.delete(key));
    running.set(key, renewal);
    await renewal;
  };
  const hasProvider = async ({ provider, providerUid }: UserIdentity): Promise<boolean> =>
    (await findIdentityProvider(reads, provider))?.metadata.uid === providerUid;
  return async (user) => {
    let current: User | undefined = user;
    for (const identity of user.status?.identities ?? []) {
      // The identity of a provider that is gone stays due.
      if (!isCheckDue(identity, now()) || !(await hasProvider(identity))) continue;
      await renewOnce(user, identity);
      current = await store.find(UserKind, user.metadata);
    }
    const providers = new Set<string>();
    for (const identity of current?.status?.identities ?? [])
      if (await hasProvider(identity)) providers.add(identity.providerUid);
    return { groups: current ? listCurrentGroups(current, { providerUids: providers, now: now() }) : [], providers };
  };
}

async function renew(deps: Deps, user: User, identity: UserIdentity): Promise<void> {
  const { store, log } = deps;
  const provider = await findIdentityProvider(store, identity.provider);
  if (provider?.metadata.uid !== identity.providerUid || !(await claimAttempt(deps, user, identity))) return;
  try {
    const { answer, secret } = await askProvider(deps, user, provider);
    if (answer === 'refused' || emailDomainViolation(provider.spec, answer.email ?? user.spec.email) !== undefined)
      await forgetIdentity(deps, user, { identity, secret });
    // Groups that the answer does not name stay until they expire.
    else if (answer.groups === undefined && identity.groups.length > 0)
      log.warn({ provider: identity.provider }, 'An identity provider names groups only at a sign-in');
    else await recordAnswer(deps, user, { identity, groups: answer.groups ?? [] });
  } catch (error) {
    if (!isServiceError(error)) throw error;
    // The person keeps the groups until they expire: an outage of the provider must not be one of the service.
    log.warn({ error: error.message, provider: identity.provider }, 'Failed to ask an identity provider for groups');
  }
}

/** Lets one replica ask: a provider revokes a refresh token that is used twice. */
async function claimAttempt({ store, now }: Deps, user: User, { providerUid }: UserIdentity): Promise<boolean> {
  let isClaimed = false;
  await store.updateStatus(UserKind, user.metadata, ({ status }) => {
    const at = now();
    const current = status?.identities?.find((identity) => identity.providerUid === providerUid);
    isClaimed = current !== undefined && isCheckDue(current, at);
    return isClaimed ? withIdentity(status, providerUid, { attemptedAt: at.toISOString() }) : undefined;
  });
  return isClaimed;
}

/** Returns the answer with the refresh token that belongs to it; without one when a sign-in has replaced it since. */
async function askProvider(
  { store, identityProviders, config }: Deps,
  user: User,
  provider: IdentityProvider,
): Promise<{ answer: RenewedIdentity | 'refused'; secret: Secret | undefined }> {
  const read = await findRefreshToken(store, { user, provider: provider.metadata.name });
  const refreshToken = readRefreshToken(read);
  const subject = user.spec.identities?.find(({ issuer }) => issuer === provider.spec.issuer)?.subject;
  if (!read || refreshToken === undefined || subject === undefined) return { answer: 'refused', secret: read };
  const client = toProviderClient(config, provider, await readClientSecret(store, provider.metadata.name));
  let secret: Secret | undefined = read;
  const answer = await identityProviders.renew(client, { refreshToken, subject }, async (next) => {
    secret = await rotateRefreshToken(store, read, next);
  });
  return { answer, secret };
}

async function recordAnswer(
  { store, now }: Deps,
  user: User,
  { identity, groups }: { identity: UserIdentity; groups: string[] },
): Promise<void> {
  await store.updateStatus(UserKind, user.metadata, ({ status }) =>
    withIdentity(status, identity.providerUid, { groups, checkedAt: now().toISOString() }),
  );
}

/** Ends what began with the identity, unless the person has signed in again since it was read. */
async function forgetIdentity(
  { store }: Deps,
  user: User,
  { identity: refused, secret }: { identity: UserIdentity; secret: Secret | undefined },
): Promise<void> {
  let isForgotten = false;
  await store.updateStatus(UserKind, user.metadata, ({ status }) => {
    const identities = (status?.identities ?? []).filter(
      ({ providerUid, checkedAt }) => providerUid !== refused.providerUid || checkedAt !== refused.checkedAt,
    );
    isForgotten = identities.length < (status?.identities ?? []).length;
    return isForgotten ? { ...status, identities } : undefined;
  });
  if (!isForgotten) return;
  // A sign-in saves its token before it records the identity, so a newer token is not that of the refused one.
  if (secret) await deleteUnlessChanged(store, SecretKind, secret);
  // The sessions are already invalid without the identity; those that they opened in zones end with them.
  const sessions = await listSessions(store, user.metadata.name);
  for (const { metadata, spec } of sessions)
    if (spec.identityProvider?.uid === refused.providerUid)
      await store.delete(ApiTokenKind, metadata).catch(ignoreNotFound);
}

const withIdentity = (status: User['status'], providerUid: string, change: Partial<UserIdentity>): User['status'] => ({
  ...status,
  identities: (status?.identities ?? []).map((identity) =>
    identity.providerUid === providerUid ? { ...identity, ...change } : identity,
  ),
});
