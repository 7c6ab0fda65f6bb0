import { createRoute, z } from '@hono/zod-openapi';
import { randomBytes } from 'node:crypto';
import type { ApiDeps, App } from '../deps.ts';
import { setHostCookie } from '../http/cookies.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, OrgParams } from '../http/views.ts';
import { appManifest } from './app-manifest.ts';
import { connectionCookie, issueState, stateTtlMs } from './connection-state.ts';
import { getOrganization } from '../orgs/org.ts';

const ConnectView = z
  .object({
    action: z.string().openapi({ description: 'The URL that the browser posts a form with the field `manifest` to.' }),
    manifest: z.string().describe('Manifest of the app, as JSON text.'),
    state: z.string().describe('Value that connects the callback to this request. The code host returns it.'),
  })
  .openapi('CodehostConnect');

const route = createRoute({
  operationId: 'connectCodehost',
  method: 'post',
  path: '/v1/orgs/{org}/codehost/connect',
  tags: ['Codehost'],
  summary: 'Start connecting an org to the code host',
  description:
    'Returns the form that creates the org’s app at the code host. The code host then redirects the browser to `finishCodehostConnection`, which the same person must call, and in a browser session the same browser. Requires the role org-admin.',
  ...requireRole('org-admin'),
  request: { params: OrgParams },
  responses: { 200: jsonResponse('The form to post to the code host', ConnectView), ...problems(401, 403, 404, 409) },
});

export function connectCodehost(app: App, { store, config, now }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { spec } = await getOrganization(store, org);
    const { user, via } = c.get('caller');
    const browser = via === 'session' ? randomBytes(32).toString('base64url') : undefined;
    const state = await issueState(store, { org, user, browser }, now());
    if (browser !== undefined)
      setHostCookie(c, {
        name: connectionCookie,
        siteUrl: config.publicUrl,
        value: browser,
        maxAgeMs: stateTtlMs,
      });
    const action = `${config.codehostUrl}/organizations/${spec.codehostAccount}/settings/apps/new?state=${state}`;
    return c.json({ action, manifest: JSON.stringify(appManifest({ org, publicUrl: config.publicUrl })), state }, 200);
  });
}
