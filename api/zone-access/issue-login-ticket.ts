import type { Context } from 'hono';
import type { ApiToken } from '../../src/rules/access/kinds.ts';
import { issueToken } from '../auth/issue-token.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { assertZoneAccess, type ZoneHosts } from './zone-sessions.ts';

const ticketTtlMs = 60_000;

/**
 * Issues a single-use ticket and returns the URL on the zone's host that exchanges it for a zone session. The browser
 * does not send the cookies of the service to that host.
 */
export async function issueLoginTicket(
  c: Context<ApiEnv>,
  deps: Pick<ApiDeps, 'store' | 'config' | 'now'>,
  { session, zone, url }: { session: ApiToken; zone: ZoneHosts; url: URL },
): Promise<string> {
  const { user } = session.spec;
  await assertZoneAccess(c, deps, { user, zone });
  const expiresAt = new Date(deps.now().getTime() + ticketTtlMs).toISOString();
  const { token } = await issueToken(
    deps.store,
    { use: 'login-ticket', user, label: zone.name, zone: zone.name, expiresAt },
    session,
  );
  const signInUrl = new URL('/.service/sign-in', url);
  signInUrl.searchParams.set('ticket', token);
  signInUrl.searchParams.set('to', `${url.pathname}${url.search}`);
  return signInUrl.href;
}
