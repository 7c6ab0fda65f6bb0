import { createRoute, z } from '@hono/zod-openapi';
import { ServiceError, isServiceError } from '../../src/errors.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { html } from '../views.ts';
import { givePass } from './give-pass.ts';
import { signInPage } from './sign-in-page.ts';
import { startSession } from './start-session.ts';
import { PassQuery, whereTo } from './where-to.ts';
import { goodToken } from './zone-visits.ts';

const Credentials = z.object({ email: z.string().max(254), password: z.string().min(1).max(200) });

const route = createRoute({
  operationId: 'signInToZone',
  method: 'post',
  path: '/v1/auth/zone-pass',
  tags: ['Access'],
  summary: 'For browsers: what the page to sign in on sends',
  ...needs('anyone'),
  request: {
    query: PassQuery,
    body: { required: true, content: { 'application/x-www-form-urlencoded': { schema: Credentials } } },
  },
  responses: {
    200: { description: 'The page again, with what was wrong', content: html },
    303: { description: 'On to the zone' },
    ...problems(401, 403, 404, 413, 415, 422, 429),
  },
});

export function signInToZone(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const origin = c.req.header('origin');
    if (
      origin !== undefined &&
      origin !== new URL(deps.config.publicUrl).origin &&
      origin !== new URL(c.req.url).origin
    )
      throw new ServiceError('forbidden', 'Sign in on a page of this install.');
    const { zone, to } = await whereTo(deps, c.req.valid('query'));
    try {
      const { token } = await startSession(c, deps, c.req.valid('form'));
      const session = await goodToken(deps, token, 'session');
      if (!session) throw new ServiceError('not-signed-in', 'The session has ended already. Sign in again.');
      return c.redirect(await givePass(c, deps, { session, zone, to }), 303);
    } catch (error) {
      if (!isServiceError(error, 'not-signed-in')) throw error;
      return signInPage(c, { zone: zone.zone, why: error.message });
    }
  });
}
