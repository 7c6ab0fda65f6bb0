import { createRoute } from '@hono/zod-openapi';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { pageHeaders, problemsOrPages } from '../http/problem-page.ts';
import { html } from '../http/views.ts';
import { issueLoginTicket } from './issue-login-ticket.ts';
import { renderSignInPage } from './render-sign-in-page.ts';
import { browserIdentificationUrl, resolveRedirect, ZoneSignInQuery } from './resolve-redirect.ts';
import { findBrowserSession } from './zone-sessions.ts';

const route = createRoute({
  operationId: 'startZoneSignIn',
  method: 'get',
  path: '/v1/auth/zone-sign-in',
  tags: ['Access'],
  summary: 'Start signing in to a zone',
  description:
    'The gate of a zone redirects browsers here. A browser is first redirected to the host of the zone, which identifies it. Then a browser with a session is redirected to the zone; any other gets the sign-in page. A public zone needs no sign-in, so browsers are redirected to it at once.',
  ...requireRole('anyone'),
  request: { query: ZoneSignInQuery },
  responses: {
    200: { description: 'The sign-in page', content: html },
    303: { description: 'Redirect to the zone' },
    ...problemsOrPages(401, 403, 422),
  },
});

export function startZoneSignIn(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const query = c.req.valid('query');
    const { zone, url } = await resolveRedirect(deps, query);
    if (zone.isPublic) return c.redirect(url.href, 303);
    const { browser } = query;
    if (browser === undefined) return c.redirect(browserIdentificationUrl({ zone, url }), 303);
    const session = await findBrowserSession(c, deps);
    if (!session) return c.html(renderSignInPage({ zone: zone.name }), 200, pageHeaders);
    return c.redirect(await issueLoginTicket(c, deps, { session, zone, url, browser }), 303);
  });
}
