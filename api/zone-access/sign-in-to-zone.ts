import { createRoute, z } from '@hono/zod-openapi';
import { ServiceError } from '../../src/errors.ts';
import { assertSameOrigin } from '../auth/assert-same-origin.ts';
import { requireRole } from '../auth/require-role.ts';
import { startSession } from '../auth/start-session.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problemsOrPages } from '../http/problem-page.ts';
import { issueLoginTicket } from './issue-login-ticket.ts';
import { resolveRedirect, ZoneSignInQuery } from './resolve-redirect.ts';
import { findValidToken } from './zone-sessions.ts';

const Credentials = z.object({
  email: z.string().max(254).describe('E-mail address of the user.'),
  password: z.string().min(1).max(200).describe('Password of the user.'),
});

const route = createRoute({
  operationId: 'signInToZone',
  method: 'post',
  path: '/v1/auth/zone-sign-in',
  tags: ['Access'],
  summary: 'Sign in to a zone',
  description:
    'Receives the form of the sign-in page, starts a session and redirects the browser to the zone. To a browser, problems are pages; after wrong credentials, the page contains the form again.',
  ...requireRole('anyone'),
  request: {
    query: ZoneSignInQuery.required({ browser: true }),
    body: { required: true, content: { 'application/x-www-form-urlencoded': { schema: Credentials } } },
  },
  responses: {
    303: { description: 'Redirect to the zone' },
    ...problemsOrPages(401, 403, 413, 415, 422, 429),
  },
});

export function signInToZone(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    assertSameOrigin(c, deps.config.publicUrl);
    const query = c.req.valid('query');
    const { zone, url } = await resolveRedirect(deps, query);
    if (zone.isPublic) return c.redirect(url.href, 303);
    const { token } = await startSession(c, deps, c.req.valid('form'));
    const session = await findValidToken(deps, token, 'session');
    if (!session) throw new ServiceError('token-expired', 'The session has already ended. Sign in again.');
    return c.redirect(await issueLoginTicket(c, deps, { session, zone, url, browser: query.browser }), 303);
  });
}
