import { createRoute, z } from '@hono/zod-openapi';
import { SecretKind, readSecretText } from '../../src/kinds/kubernetes.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, OrgParams } from '../http/views.ts';
import { codehostAppRef } from './codehost-app.ts';
import { getOrganization } from '../orgs/org.ts';

const ConnectionView = z
  .object({
    connected: z.boolean().describe('Whether the org is connected.'),
    slug: z.string().optional().describe('Name of the org’s app at the code host.'),
    url: z.string().optional().describe('URL of the org’s app at the code host.'),
  })
  .openapi('CodehostConnection');

const route = createRoute({
  operationId: 'getCodehostConnection',
  method: 'get',
  path: '/v1/orgs/{org}/codehost',
  tags: ['Codehost'],
  summary: 'Get the code host connection of an org',
  description: 'Returns whether the org is connected and its app, without the credentials.',
  ...requireRole('viewer'),
  request: { params: OrgParams },
  responses: { 200: jsonResponse('The connection', ConnectionView), ...problems(401, 403, 404) },
});

export function getCodehostConnection(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    await getOrganization(store, org);
    const secret = await store.find(SecretKind, codehostAppRef(org));
    if (!secret) return c.json({ connected: false }, 200);
    const [slug, url] = [readSecretText(secret, 'slug'), readSecretText(secret, 'url')];
    return c.json({ connected: true, ...(slug !== undefined && { slug }), ...(url !== undefined && { url }) }, 200);
  });
}
