import type { Context } from 'hono';
import { defined } from '../../src/defined.ts';
import { ServiceError } from '../../src/errors.ts';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { ApiTokenKind, UserKind, type ApiToken } from '../../src/rules/access/kinds.ts';
import { isToken } from '../../src/rules/access/token.ts';
import { isRejected } from '../../src/rules/conditions.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { zoneReservationName } from '../../src/rules/products/reservations.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import { readZoneAddress } from '../../src/store/installation.ts';
import { isExpired, sessionCookie, tokenName } from '../auth/authenticate.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { readHostCookie } from '../http/cookies.ts';

/** Cookies of the zone's own host, which the gate removes before the app (`svc_zone_*`). Neither is valid for the API. */
export const zoneSessionCookie = 'svc_zone_session';
export const zoneBrowserCookie = 'svc_zone_browser';

type Deps = Pick<ApiDeps, 'store' | 'config' | 'now'>;
export type ZoneHosts = {
  name: string;
  /** Absent for a zone that does not exist. */
  org: string | undefined;
  hosts: readonly string[];
  isPublic: boolean;
};

/**
 * Reads the host names that a zone is served at, and who may open it. A zone that does not exist looks like one that
 * requires sign-in, so that strangers cannot probe for the names of zones.
 */
export async function readZoneHosts({ store, config }: Deps, name: string): Promise<ZoneHosts> {
  const reservation = await store.find(ConfigMapKind, { namespace: systemNamespace, name: zoneReservationName(name) });
  const { org = '', product: productName = '' } = reservation?.data ?? {};
  const product = await store.find(ProductKind, { namespace: orgNamespace(org), name: productName });
  // The settings in the spec may not be served yet.
  const { appliedSettings } = product?.status?.zones?.find((zone) => zone.name === name) ?? {};
  const defaultHost = new URL((await readZoneAddress(cachedReads(store), config.zoneAddress))(name)).hostname;
  const hosts = [...new Set([...(appliedSettings?.ingress.hosts ?? []), defaultHost])];
  return { name, org: product && org, hosts, isPublic: appliedSettings?.ingress.access === 'public' };
}

/** Finds the token if it has the given use and is still valid. */
export async function findValidToken(
  { store, now }: Deps,
  text: string,
  use: ApiToken['spec']['use'],
): Promise<ApiToken | undefined> {
  if (!isToken(text)) return undefined;
  const token = await store.find(ApiTokenKind, { namespace: systemNamespace, name: tokenName(text) });
  if (token?.spec.use !== use) return undefined;
  return isRejected(token) || isExpired(token, now()) ? undefined : token;
}

export const findBrowserSession = async (c: Context<ApiEnv>, deps: Deps): Promise<ApiToken | undefined> =>
  await findValidToken(deps, readHostCookie(c, sessionCookie, deps.config.publicUrl) ?? '', 'session');

/** Returns the fields that a session shares with its tickets and zone sessions, which are refused together with it. */
export const toHolder = ({ spec: { user, userUid, signInMethod, identityProvider } }: ApiToken) =>
  defined({ user, userUid, signInMethod, identityProvider });

/**
 * Throws when the user has no role in the zone's org, or the way in which the user signed in is no longer accepted. It
 * runs at every request, so a revocation takes effect at once.
 */
export async function assertZoneAccess(
  c: Context<ApiEnv>,
  { store }: Deps,
  { holder, zone }: { holder: ApiToken['spec']; zone: ZoneHosts },
): Promise<void> {
  const { user: name, userUid } = holder;
  const user = await store.find(UserKind, { namespace: systemNamespace, name });
  if (user?.metadata.uid !== userUid)
    throw new ServiceError('token-revoked', 'The user no longer exists. Sign in as another user.');
  const { email, platformAdmin } = user.spec;
  const authenticator = c.get('authenticator');
  const providerGroups = await authenticator.assertSignInAccepted(user, holder);
  const caller = { user: name, email, platformAdmin, via: 'session' as const, providerGroups };
  const role = zone.org === undefined ? undefined : await authenticator.findRole(caller, zone.org);
  if (role === undefined)
    throw new ServiceError(
      'zone-access-denied',
      `Only people with a role in its org can open the zone "${zone.name}". Ask an admin of the org.`,
    );
}
