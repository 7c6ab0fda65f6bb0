import type { Context } from 'hono';
import type { ApiToken } from '../../src/rules/access/kinds.ts';
import { issueToken } from '../auth/issue-token.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { assertZoneAccess, toHolder, type ZoneHosts } from './zone-sessions.ts';

const ticketTtlMs = 60_000;

/**
 * Issues a single-use ticket and returns the URL on the zone's host that exchanges it for a zone session. The browser
 * does not send the cookies of the service to that host. Only the browser that asked there can use the ticket: the link
 * would otherwise sign any browser in as the person who received it.
 */
export async function issueLoginTicket(
  c: Context<ApiEnv>,
  deps: Pick<ApiDeps, 'store' | 'config' | 'now'>,
  { session, zone, url, browser }: { session: ApiToken; zone: ZoneHosts; url: URL; browser: string },
): Promise<string> {
  await assertZoneAccess(c, deps, { holder: session.spec, zone });
  const expiresAt = new Date(deps.now().getTime() + ticketTtlMs).toISOString();
  const { token } = await issueToken(
    deps.store,
    { use: 'login-ticket', ...toHolder(session), label: zone.name, zone: zone.name, browser, expiresAt },
    session,
  );
  const signInUrl = new URL('/.service/sign-in', url);
  signInUrl.searchParams.set('ticket', token);
  signInUrl.searchParams.set('to', `${url.pathname}${url.search}`);
  return signInUrl.href;
}
