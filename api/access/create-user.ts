import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, body } from '../http/views.ts';
import { createUserWithPassword } from '../auth/passwords.ts';
import { NewUserBody, toUserView, UserView } from './schemas.ts';

const route = createRoute({
  operationId: 'createUser',
  method: 'post',
  path: '/v1/access/users',
  tags: ['Access'],
  summary: 'Create a user',
  description:
    'Creates a user who signs in with a password. Requires the browser session of a platform admin who signed in with a password, because a token could otherwise become a session of anyone. Fails with 409 if a user with that address already exists.',
  ...requireRole('platform-admin', { credential: 'password-session' }),
  request: { body: body(NewUserBody) },
  responses: { 201: jsonResponse('The created user', UserView), ...problems(400, 401, 403, 409, 413, 415, 422) },
});

export function createUser(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { hasher } = c.get('signInGuards');
    return c.json(toUserView(await createUserWithPassword({ store, hasher }, c.req.valid('json'), false)), 201);
  });
}
