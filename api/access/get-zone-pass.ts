import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { html } from '../views.ts';
import { givePass } from './give-pass.ts';
import { signInPage } from './sign-in-page.ts';
import { PassQuery, whereTo } from './where-to.ts';
import { sessionOf } from './zone-visits.ts';

const route = createRoute({
  operationId: 'getZonePass',
  method: 'get',
  path: '/v1/auth/zone-pass',
  tags: ['Access'],
  summary: 'For browsers: go on to a zone for people signed in, after signing in where that is missing',
  ...needs('anyone'),
  request: { query: PassQuery },
  responses: {
    200: { description: 'The page to sign in on', content: html },
    303: { description: 'On to the zone' },
    ...problems(401, 403, 404, 422),
  },
});

export function getZonePass(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const query = c.req.valid('query');
    const { zone, to } = await whereTo(deps, query);
    const session = await sessionOf(c, deps);
    if (!session) return signInPage(c, { zone: zone.zone });
    return c.redirect(await givePass(c, deps, { session, zone, to }), 303);
  });
}
