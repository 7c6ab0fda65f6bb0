import { createRoute } from '@hono/zod-openapi';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse } from '../http/views.ts';
import { getDomainView } from './domain.ts';
import { DomainParams, DomainView } from './schemas.ts';

const route = createRoute({
  operationId: 'getDomain',
  method: 'get',
  path: '/v1/orgs/{org}/domains/{domain}',
  tags: ['Domains'],
  summary: 'Get a domain',
  description:
    'Returns the state of the claim and the DNS records to set. Domains that other orgs share are only in the list.',
  ...requireRole('viewer'),
  request: { params: DomainParams },
  responses: { 200: jsonResponse('The domain', DomainView), ...problems(401, 403, 404) },
});

export function getDomain(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, domain } = c.req.valid('param');
    return c.json(await getDomainView(deps, { org, domain }, c.get('role')), 200);
  });
}
