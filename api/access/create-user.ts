import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer, body } from '../views.ts';
import { createUserWithPassword, NewUserBody } from './passwords.ts';
import { UserView, userView } from './schemas.ts';

const route = createRoute({
  operationId: 'createUser',
  method: 'post',
  path: '/v1/access/users',
  tags: ['Access'],
  summary: 'Create a user who signs in with a password',
  ...needs('platform-admin'),
  request: { body: body(NewUserBody) },
  responses: { 201: answer('The user', UserView), ...problems(400, 401, 403, 409, 413, 415, 422) },
});

export function createUser(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) =>
    c.json(userView(await createUserWithPassword(store, c.req.valid('json'), false)), 201),
  );
}
