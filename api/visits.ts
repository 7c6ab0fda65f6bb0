import { setCookie } from 'hono/cookie';
import { newToken } from './access/new-token.ts';
import { isLocal } from './access/start-session.ts';
import { goodToken, refuseStranger, visitCookie, zoneNamed } from './access/zone-visits.ts';
import { ServiceError } from '../src/errors.ts';
import { ApiTokenKind } from '../src/rules/access/kinds.ts';
import { systemNamespace } from '../src/rules/resource.ts';
import type { ApiDeps, App } from './deps.ts';

const visitMs = 8 * 60 * 60_000;

/** The one path of every zone's own host that is ours: a gateway sends `/.service/` here instead of to the app. */
export function visits(app: App, deps: ApiDeps): void {
  app.get('/.service/visit', async (c) => {
    const pass = await goodToken(deps, c.req.query('pass') ?? '', 'pass');
    const zone = pass?.spec.zone === undefined ? undefined : await zoneNamed(deps, pass.spec.zone);
    const host = (c.req.header('x-forwarded-host') ?? c.req.header('host') ?? '').replace(/:\d+$/, '').toLowerCase();
    if (!pass || !zone?.hosts.includes(host))
      throw new ServiceError('not-signed-in', 'The pass is used up. Open the address again.');
    await refuseStranger(c, deps, { user: pass.spec.user, zone });
    const { store, now, config } = deps;
    const [session] = pass.metadata.ownerReferences ?? [];
    const owner = session && (await store.find(ApiTokenKind, { namespace: systemNamespace, name: session.name }));
    if (!owner) throw new ServiceError('not-signed-in', 'The session has ended. Open the address again.');
    // Whoever deletes it has it: a pass is good once.
    await store.delete(ApiTokenKind, pass.metadata);
    const { user } = pass.spec;
    const expiresAt = new Date(now().getTime() + visitMs).toISOString();
    const { token } = await newToken(
      store,
      { use: 'visit', user, label: zone.zone, zone: zone.zone, expiresAt },
      owner,
    );
    setCookie(c, visitCookie, token, {
      httpOnly: true,
      sameSite: 'Lax',
      secure: !isLocal(config.zoneAddress(zone.zone)),
      path: '/',
      maxAge: visitMs / 1000,
    });
    c.header('Cache-Control', 'no-store');
    return c.redirect(pathIn(c.req.query('to')), 303);
  });
}

/** Only ever a path of the same host. */
function pathIn(asked: string | undefined): string {
  const here = 'http://zone.invalid';
  const url = URL.parse(asked ?? '/', here);
  return url?.origin === here ? `${url.pathname}${url.search}` : '/';
}
