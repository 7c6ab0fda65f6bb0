import { getCookie } from 'hono/cookie';
import type { Context } from 'hono';
import { ServiceError } from '../../src/errors.ts';
import { ApiTokenKind, UserKind, type ApiToken } from '../../src/rules/access/kinds.ts';
import { isToken } from '../../src/rules/access/token.ts';
import { zoneClaim } from '../../src/rules/catalog/claims.ts';
import { ProductKind } from '../../src/rules/catalog/kinds.ts';
import { ConfigMapKind } from '../../src/rules/core-kinds.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import { sessionCookie, tokenName } from '../authenticate.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';

/** The cookie of a zone's own host: it opens that zone, and nothing of the service. */
export const visitCookie = 'svc_visit';

type Deps = Pick<ApiDeps, 'store' | 'config' | 'now'>;
export type KnownZone = { org: string; product: string; zone: string; hosts: readonly string[] };

/** Whose zone it is, and the host names it answers at. */
export async function zoneNamed({ store, config }: Deps, zone: string): Promise<KnownZone | undefined> {
  const claim = await store.find(ConfigMapKind, { namespace: systemNamespace, name: zoneClaim(zone) });
  const { org = '', product = '' } = claim?.data ?? {};
  const found = await store.find(ProductKind, { namespace: orgNamespace(org), name: product });
  if (!found) return undefined;
  const applied = found.status?.zones?.find(({ name }) => name === zone)?.applied;
  const hosts = applied?.ingress.hosts ?? [];
  return { org, product, zone, hosts: [...new Set([...hosts, new URL(config.zoneAddress(zone)).hostname])] };
}

/** A token of that use that is still good. */
export async function goodToken(
  { store, now }: Deps,
  text: string,
  use: ApiToken['spec']['use'],
): Promise<ApiToken | undefined> {
  if (!isToken(text)) return undefined;
  const found = await store.find(ApiTokenKind, { namespace: systemNamespace, name: tokenName(text) });
  if (found?.spec.use !== use) return undefined;
  const { expiresAt } = found.spec;
  return expiresAt !== undefined && Date.parse(expiresAt) <= now().getTime() ? undefined : found;
}

/** The session of the browser that asks, if it is signed in. */
export const sessionOf = async (c: Context<ApiEnv>, deps: Deps): Promise<ApiToken | undefined> =>
  await goodToken(deps, getCookie(c, sessionCookie) ?? '', 'session');

/** Refuses whoever cannot see the zone's Product; asked at every request, so that what was revoked bites at once. */
export async function refuseStranger(
  c: Context<ApiEnv>,
  { store }: Deps,
  { user: name, zone }: { user: string; zone: KnownZone },
): Promise<void> {
  const user = await store.find(UserKind, { namespace: systemNamespace, name });
  if (!user) throw new ServiceError('not-signed-in', 'The user is gone. Sign in again.');
  const { email, platformAdmin } = user.spec;
  const role = await c.get('access').roleIn({ user: name, email, platformAdmin, via: 'session' }, zone.org);
  if (role === undefined)
    throw new ServiceError(
      'forbidden',
      `Only people who can see its Product may open "${zone.zone}". Ask an admin of its org.`,
    );
}
