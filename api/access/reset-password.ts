import { createRoute, z } from '@hono/zod-openapi';
import { notFound, ServiceError } from '../../src/errors.ts';
import { UserKind } from '../../src/rules/access/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { ApiDeps, App } from '../deps.ts';
import { savePassword } from '../auth/passwords.ts';
import { requireRole } from '../auth/require-role.ts';
import { endSessions } from '../auth/sessions.ts';
import { problems } from '../http/problem.ts';
import { body } from '../http/views.ts';
import { NewPassword, UserParams } from './schemas.ts';

const route = createRoute({
  operationId: 'resetPassword',
  method: 'put',
  path: '/v1/access/users/{user}/password',
  tags: ['Access'],
  summary: 'Reset the password of a user',
  description:
    'Replaces the password and ends all sessions of the user. Their API tokens remain valid. Requires the browser session of a platform admin who signed in with a password. Fails with 409 for your own password, which `changePassword` changes.',
  ...requireRole('platform-admin', { credential: 'password-session' }),
  request: {
    params: UserParams,
    body: body(z.strictObject({ password: NewPassword.describe('New password of at least 12 characters.') })),
  },
  responses: {
    204: { description: 'The password is replaced' },
    ...problems(400, 401, 403, 404, 409, 413, 415, 422),
  },
});

export function resetPassword(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { user: name } = c.req.valid('param');
    // A stolen session does not tell the password, so it must not replace it.
    if (name === c.get('caller').user)
      throw new ServiceError(
        'conflict',
        'You cannot reset your own password. Change it with PUT /v1/me/password, which takes the current one.',
      );
    const user = await store.find(UserKind, { namespace: systemNamespace, name });
    if (!user) throw notFound('user', name, 'the installation');
    const { hasher } = c.get('signInGuards');
    await savePassword({ store, hasher }, user.spec.email, c.req.valid('json').password);
    await endSessions(store, name);
    return c.body(null, 204);
  });
}
