import { createRoute, z } from '@hono/zod-openapi';
import { EmailAddress } from '../../src/rules/names.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, body } from '../http/views.ts';
import { UserView, toUserView } from './schemas.ts';
import { startSession } from '../auth/start-session.ts';

const route = createRoute({
  operationId: 'signIn',
  method: 'post',
  path: '/v1/auth/sign-in',
  tags: ['Access'],
  summary: 'Sign in with an e-mail address and a password',
  description:
    'Sets a session cookie. Fails with 401 for wrong credentials, with 403 if the installation lets the user sign in only through an identity provider, and with 429 after too many attempts for the account or from the address.',
  ...requireRole('anyone'),
  request: {
    body: body(
      z.strictObject({
        email: EmailAddress.describe('E-mail address of the user.'),
        password: z.string().min(1).max(200).describe('Password of the user.'),
      }),
    ),
  },
  responses: {
    200: jsonResponse('The user who signed in', UserView),
    ...problems(400, 401, 403, 413, 415, 422, 429),
  },
});

export function signIn(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { user } = await startSession(c, deps, c.req.valid('json'));
    return c.json(toUserView(user), 200);
  });
}
