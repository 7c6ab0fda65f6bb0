import type { Context } from 'hono';
import type { ApiToken } from '../../src/rules/access/kinds.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { newToken } from './new-token.ts';
import { type KnownZone, refuseStranger } from './zone-visits.ts';

const passMs = 60_000;

/** The address in a zone that changes a pass for a visit: cookies of the service are not sent to the zone's own host. */
export async function givePass(
  c: Context<ApiEnv>,
  deps: Pick<ApiDeps, 'store' | 'config' | 'now'>,
  { session, zone, to }: { session: ApiToken; zone: KnownZone; to: URL },
): Promise<string> {
  const { user } = session.spec;
  await refuseStranger(c, deps, { user, zone });
  const expiresAt = new Date(deps.now().getTime() + passMs).toISOString();
  const { token } = await newToken(
    deps.store,
    { use: 'pass', user, label: zone.zone, zone: zone.zone, expiresAt },
    session,
  );
  const door = new URL('/.service/visit', to);
  door.searchParams.set('pass', token);
  door.searchParams.set('to', `${to.pathname}${to.search}`);
  return door.href;
}
