import { createRoute, z } from '@hono/zod-openapi';
import { SecretKind, secretText } from '../../src/rules/core-kinds.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer, OrgParams } from '../views.ts';
import { codehostAppRef } from './codehost-app.ts';
import { getOrganization } from './org.ts';

const ConnectionView = z
  .object({ connected: z.boolean(), slug: z.string().optional(), url: z.string().optional() })
  .openapi('CodehostConnection');

const route = createRoute({
  operationId: 'getCodehostConnection',
  method: 'get',
  path: '/v1/orgs/{org}/codehost',
  tags: ['Orgs'],
  summary: 'Whether an org is connected to its account at the code host',
  ...needs('viewer'),
  request: { params: OrgParams },
  responses: { 200: answer('The connection, without its secrets', ConnectionView), ...problems(401, 403, 404) },
});

export function getCodehostConnection(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    await getOrganization(store, org);
    const secret = await store.find(SecretKind, codehostAppRef(org));
    if (!secret) return c.json({ connected: false }, 200);
    const [slug, url] = [secretText(secret, 'slug'), secretText(secret, 'url')];
    return c.json({ connected: true, ...(slug !== undefined && { slug }), ...(url !== undefined && { url }) }, 200);
  });
}
