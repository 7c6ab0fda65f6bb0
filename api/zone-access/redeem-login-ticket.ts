import type { Context } from 'hono';
import { setCookie } from 'hono/cookie';
import { ServiceError } from '../../src/errors.ts';
import { ApiTokenKind, type ApiToken } from '../../src/rules/access/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { issueToken } from '../auth/issue-token.ts';
import { isLoopbackUrl } from '../auth/start-session.ts';
import type { ApiDeps, App } from '../deps.ts';
import { assertZoneAccess, findValidToken, findZoneHosts, zoneSessionCookie } from './zone-sessions.ts';

const zoneSessionTtlMs = 8 * 60 * 60_000;

/** Serves the only path of the service on a zone's own host: gateways route `/.service/` here instead of to the app. */
export function redeemLoginTicket(app: App, deps: ApiDeps): void {
  app.get('/.service/sign-in', async (c) => {
    const ticket = await findValidToken(deps, c.req.query('ticket') ?? '', 'login-ticket');
    const zone = ticket?.spec.zone === undefined ? undefined : await findZoneHosts(deps, ticket.spec.zone);
    if (!ticket || !zone?.hosts.includes(getRequestHost(c)))
      throw new ServiceError(
        'login-ticket-used',
        'This sign-in link has already been used or has expired. Open the zone again.',
      );
    await assertZoneAccess(c, deps, { user: ticket.spec.user, zone });
    const session = await findOwnerSession(deps, ticket);
    if (!session) throw new ServiceError('token-expired', 'The session has ended. Open the zone again.');
    // Deleting the ticket succeeds once, so only one of two concurrent requests redeems it.
    await deps.store.delete(ApiTokenKind, ticket.metadata);
    setZoneSession(c, deps, { zone: zone.name, token: await issueZoneSession(deps, session, zone.name) });
    c.header('Cache-Control', 'no-store');
    return c.redirect(toSameHostPath(c.req.query('to')), 303);
  });
}

const getRequestHost = (c: Context): string =>
  (c.req.header('x-forwarded-host') ?? c.req.header('host') ?? '').replace(/:\d+$/, '').toLowerCase();

async function findOwnerSession({ store }: ApiDeps, ticket: ApiToken): Promise<ApiToken | undefined> {
  const [owner] = ticket.metadata.ownerReferences ?? [];
  return owner && (await store.find(ApiTokenKind, { namespace: systemNamespace, name: owner.name }));
}

async function issueZoneSession({ store, now }: ApiDeps, session: ApiToken, zone: string): Promise<string> {
  const expiresAt = new Date(now().getTime() + zoneSessionTtlMs).toISOString();
  const { user } = session.spec;
  return (await issueToken(store, { use: 'zone-session', user, label: zone, zone, expiresAt }, session)).token;
}

function setZoneSession(c: Context, { config }: ApiDeps, { zone, token }: { zone: string; token: string }): void {
  setCookie(c, zoneSessionCookie, token, {
    httpOnly: true,
    sameSite: 'Lax',
    secure: !isLoopbackUrl(config.zoneAddress(zone)),
    path: '/',
    maxAge: zoneSessionTtlMs / 1000,
  });
}

/** Resolves the redirect target to a path of the same host, so that the link cannot lead to another site. */
function toSameHostPath(target: string | undefined): string {
  const base = 'http://zone.invalid';
  const url = URL.parse(target ?? '/', base);
  return url?.origin === base ? `${url.pathname}${url.search}` : '/';
}
