import { createRoute } from '@hono/zod-openapi';
import { notFound } from '../../src/errors.ts';
import { ApiTokenKind } from '../../src/rules/access/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { TokenParams } from '../views.ts';

const route = createRoute({
  operationId: 'revokeToken',
  method: 'delete',
  path: '/v1/me/tokens/{token}',
  tags: ['Access'],
  summary: 'Revoke one of your API tokens, from its next request on',
  ...needs('signed-in'),
  request: { params: TokenParams },
  responses: { 204: { description: 'Revoked' }, ...problems(401, 403, 404) },
});

export function revokeToken(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { token: name } = c.req.valid('param');
    const found = await store.find(ApiTokenKind, { namespace: systemNamespace, name });
    const mine = found?.spec.user === c.get('caller').user && found.spec.use === 'token';
    if (!mine) throw notFound('token', name, 'yours');
    await store.delete(ApiTokenKind, found.metadata);
    return c.body(null, 204);
  });
}
