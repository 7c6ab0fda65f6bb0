import type { Context } from 'hono';
import { ServiceError } from '../../src/errors.ts';
import { ApiTokenKind, type ApiToken } from '../../src/rules/access/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { NameLabel } from '../../src/rules/names.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import { readZoneAddress } from '../../src/store/installation.ts';
import { issueToken } from '../auth/issue-token.ts';
import type { ApiDeps, App } from '../deps.ts';
import { setHostCookie } from '../http/cookies.ts';
import { problemsAsPages } from '../http/problem-page.ts';
import { forgetBrowser, identifyBrowser, isSameBrowser, zoneSignInPath } from './identify-browser.ts';
import { toTicketProblemPage } from './render-sign-in-page.ts';
import { assertZoneAccess, findValidToken, readZoneHosts, toHolder, zoneSessionCookie } from './zone-sessions.ts';

const zoneSessionTtlMs = 8 * 60 * 60_000;

/** Serves a zone's own host: without a ticket it identifies the browser, with one it starts the zone session. */
export function redeemLoginTicket(app: App, deps: ApiDeps): void {
  app.use(zoneSignInPath, problemsAsPages(toTicketProblemPage));
  app.get(zoneSignInPath, async (c) => {
    const named = NameLabel.optional().safeParse(c.req.query('zone')).data;
    const ticket = await findValidToken(deps, c.req.query('ticket') ?? '', 'login-ticket');
    const zoneName = ticket?.spec.zone ?? named;
    const zone = zoneName === undefined ? undefined : await readZoneHosts(deps, zoneName);
    if (!zone?.hosts.includes(getRequestHost(c))) throw ticketUsed();
    if (named !== undefined) return await identifyBrowser(c, deps, { zone, to: c.req.query('to') ?? '' });
    const siteUrl = (await readZoneAddress(cachedReads(deps.store), deps.config.zoneAddress))(zone.name);
    if (!ticket || !isSameBrowser(c, siteUrl, ticket.spec.browser)) throw ticketUsed();
    await assertZoneAccess(c, deps, { holder: ticket.spec, zone });
    const session = await findOwnerSession(deps, ticket);
    if (!session) throw new ServiceError('token-expired', 'The session has ended. Open the zone again.');
    // Deleting the ticket succeeds once, so only one of two concurrent requests redeems it.
    await deps.store.delete(ApiTokenKind, ticket.metadata);
    forgetBrowser(c, siteUrl);
    const value = await issueZoneSession(deps, session, zone.name);
    setHostCookie(c, { name: zoneSessionCookie, siteUrl, value, maxAgeMs: zoneSessionTtlMs });
    c.header('Cache-Control', 'no-store');
    return c.redirect(toSameHostPath(c.req.query('to')), 303);
  });
}

const ticketUsed = (): ServiceError =>
  new ServiceError(
    'login-ticket-used',
    'This sign-in link has been used, has expired or is for another browser. Open the zone again.',
  );

const getRequestHost = (c: Context): string =>
  (c.req.header('x-service-zone-host') ?? '').replace(/:\d+$/, '').toLowerCase();

async function findOwnerSession({ store }: ApiDeps, ticket: ApiToken): Promise<ApiToken | undefined> {
  const [owner] = ticket.metadata.ownerReferences ?? [];
  return owner && (await store.find(ApiTokenKind, { namespace: systemNamespace, name: owner.name }));
}

async function issueZoneSession({ store, now }: ApiDeps, session: ApiToken, zone: string): Promise<string> {
  const expiresAt = new Date(now().getTime() + zoneSessionTtlMs).toISOString();
  const spec = { use: 'zone-session' as const, ...toHolder(session), label: zone, zone, expiresAt };
  return (await issueToken(store, spec, session)).token;
}

/**
 * Resolves the redirect target to a path of the same host, so that the link cannot lead to another site. A browser takes
 * two slashes at the beginning of a path for a host.
 */
function toSameHostPath(target: string | undefined): string {
  const base = 'http://zone.invalid';
  const url = URL.parse(target ?? '/', base);
  return url?.origin === base && !url.pathname.startsWith('//') ? `${url.pathname}${url.search}` : '/';
}
