import { createRoute } from '@hono/zod-openapi';
import { notFound } from '../../src/errors.ts';
import { ApiTokenKind } from '../../src/rules/access/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { ApiDeps, App } from '../deps.ts';
import { assertUnlimited } from '../auth/assert-credential.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { TokenParams } from '../http/views.ts';

const route = createRoute({
  operationId: 'revokeToken',
  method: 'delete',
  path: '/v1/me/tokens/{token}',
  tags: ['Access'],
  summary: 'Revoke an API token',
  description:
    'Revokes a token of the current user. The token is rejected from its next request on. A token with a maximum role revokes only itself.',
  ...requireRole('signed-in'),
  request: { params: TokenParams },
  responses: { 204: { description: 'The token is revoked' }, ...problems(401, 403, 404) },
});

export function revokeToken(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { token: name } = c.req.valid('param');
    const credential = c.get('credential');
    if (name !== credential.metadata.name) assertUnlimited(credential);
    const found = await store.find(ApiTokenKind, { namespace: systemNamespace, name });
    const isOwn = found?.spec.user === c.get('caller').user && found.spec.use === 'token';
    if (!isOwn) throw notFound('token', name, 'the tokens of the current user');
    await store.delete(ApiTokenKind, found.metadata);
    return c.body(null, 204);
  });
}
