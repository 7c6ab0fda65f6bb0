import { createRoute, z } from '@hono/zod-openapi';
import { invalid } from '../../src/errors.ts';
import type { ApiDeps, App } from '../deps.ts';
import { verifyPassword } from '../auth/start-session.ts';
import { replacePassword } from '../auth/passwords.ts';
import { requireRole } from '../auth/require-role.ts';
import { endSessions } from '../auth/sessions.ts';
import { problems } from '../http/problem.ts';
import { body } from '../http/views.ts';
import { NewPassword } from './schemas.ts';

const route = createRoute({
  operationId: 'changePassword',
  method: 'put',
  path: '/v1/me/password',
  tags: ['Access'],
  summary: 'Change your password',
  description:
    'Replaces the password and ends your other sessions. Requires a browser session that began with a password. Fails with 422 if the current password is wrong, and with 429 after too many attempts.',
  ...requireRole('signed-in', { credential: 'password-session' }),
  request: {
    body: body(
      z
        .strictObject({
          currentPassword: z.string().min(1).max(200).describe('Password that you sign in with now.'),
          newPassword: NewPassword.describe('New password of at least 12 characters.'),
        })
        .openapi('PasswordChange'),
    ),
  },
  responses: {
    204: { description: 'The password is changed' },
    ...problems(400, 401, 403, 413, 415, 422, 429),
  },
});

export function changePassword(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { currentPassword, newPassword } = c.req.valid('json');
    const { user, email } = c.get('caller');
    const { hasher } = c.get('signInGuards');
    const verified = await verifyPassword(c, deps, { email, password: currentPassword });
    // A reset by an admin may have replaced the password since it was verified.
    if (!verified || !(await replacePassword({ store: deps.store, hasher }, verified, newPassword)))
      throw invalid('The current password is wrong.', [{ pointer: '/currentPassword', detail: 'is wrong' }]);
    await endSessions(deps.store, user, { except: c.get('credential').metadata.name });
    return c.body(null, 204);
  });
}
