import { createRoute, z } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer, OrgParams } from '../views.ts';
import { appManifest } from './app-manifest.ts';
import { issueState } from './connection-state.ts';
import { getOrganization } from './org.ts';

const ConnectView = z
  .object({
    action: z.string().openapi({ description: 'Where a browser posts a form with the field `manifest`.' }),
    manifest: z.string(),
    state: z.string(),
  })
  .openapi('CodehostConnect');

const route = createRoute({
  operationId: 'connectCodehost',
  method: 'post',
  path: '/v1/orgs/{org}/codehost/connect',
  tags: ['Orgs'],
  summary: 'Begin connecting an org to its account at the code host',
  ...needs('org-admin'),
  request: { params: OrgParams },
  responses: { 200: answer('The form to post to the code host', ConnectView), ...problems(401, 403, 404) },
});

export function connectCodehost(app: App, { store, config, now }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { spec } = await getOrganization(store, org);
    const state = await issueState(store, { org, user: c.get('caller').user }, now());
    const action = `${config.codehostUrl}/organizations/${spec.codehostAccount}/settings/apps/new?state=${state}`;
    return c.json({ action, manifest: JSON.stringify(appManifest({ org, publicUrl: config.publicUrl })), state }, 200);
  });
}
