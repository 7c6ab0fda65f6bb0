import { createRoute } from '@hono/zod-openapi';
import { ignoreNotFound, notFound, ServiceError } from '../../src/errors.ts';
import { SecretKind } from '../../src/kinds/kubernetes.ts';
import { UserKind } from '../../src/rules/access/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { UserParams } from './schemas.ts';

const route = createRoute({
  operationId: 'deleteUser',
  method: 'delete',
  path: '/v1/access/users/{user}',
  tags: ['Access'],
  summary: 'Remove a user',
  description:
    'Ends the sessions and revokes the tokens of the user at once. Access groups keep the address, so a user who is created with it again gets the same roles. Requires a platform admin, who cannot remove themselves.',
  ...requireRole('platform-admin'),
  request: { params: UserParams },
  responses: { 204: { description: 'The user is removed' }, ...problems(401, 403, 404, 409) },
});

export function deleteUser(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { user: name } = c.req.valid('param');
    if (name === c.get('caller').user)
      throw new ServiceError('conflict', 'You cannot remove yourself. Another platform admin can remove you.');
    const ref = { namespace: systemNamespace, name };
    const user = await store.find(UserKind, ref);
    if (!user) throw notFound('user', name, 'the installation');
    // The password goes first, because a request that fails can be repeated only while the user exists.
    await store.delete(SecretKind, ref).catch(ignoreNotFound);
    // The store deletes the sessions and tokens of the user, which the user owns.
    await store.delete(UserKind, user.metadata).catch(ignoreNotFound);
    return c.body(null, 204);
  });
}
