import { createRoute, z } from '@hono/zod-openapi';
import { isServiceError, ServiceError } from '../../src/errors.ts';
import { requireRole } from '../auth/require-role.ts';
import { startSession } from '../auth/start-session.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { html } from '../http/views.ts';
import { issueLoginTicket } from './issue-login-ticket.ts';
import { renderSignInPage } from './render-sign-in-page.ts';
import { resolveRedirect, ZoneSignInQuery } from './resolve-redirect.ts';
import { findValidToken } from './zone-sessions.ts';

const Credentials = z.object({ email: z.string().max(254), password: z.string().min(1).max(200) });

const route = createRoute({
  operationId: 'signInToZone',
  method: 'post',
  path: '/v1/auth/zone-sign-in',
  tags: ['Access'],
  summary: 'Sign in to a zone',
  description:
    'Receives the form of the sign-in page, starts a session and redirects the browser to the zone. Responds with the page and the error if the credentials are wrong.',
  ...requireRole('anyone'),
  request: {
    query: ZoneSignInQuery.required({ browser: true }),
    body: { required: true, content: { 'application/x-www-form-urlencoded': { schema: Credentials } } },
  },
  responses: {
    200: { description: 'The sign-in page with the error', content: html },
    303: { description: 'Redirect to the zone' },
    ...problems(401, 403, 404, 413, 415, 422, 429, 503),
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
      throw new ServiceError('cross-origin-request', 'Cross-origin sign-in is not allowed.');
    const query = c.req.valid('query');
    const { zone, url } = await resolveRedirect(deps, query);
    try {
      const { token } = await startSession(c, deps, c.req.valid('form'));
      const session = await findValidToken(deps, token, 'session');
      if (!session) throw new ServiceError('token-expired', 'The session has already ended. Sign in again.');
      return c.redirect(await issueLoginTicket(c, deps, { session, zone, url, browser: query.browser }), 303);
    } catch (error) {
      if (!isServiceError(error, 'not-signed-in')) throw error;
      return renderSignInPage(c, { zone: zone.name, error: error.message });
    }
  });
}
