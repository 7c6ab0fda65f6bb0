import { createRoute } from '@hono/zod-openapi';
import { NewUserBody } from '../access/passwords.ts';
import { UserView, userView } from '../access/schemas.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer, body } from '../views.ts';
import { makeRootUser } from './root-user.ts';

const route = createRoute({
  operationId: 'createRootUser',
  method: 'post',
  path: '/v1/setup/root-user',
  tags: ['Installation'],
  summary: 'Create the first platform admin, once',
  ...needs('setup-token'),
  request: { body: body(NewUserBody) },
  responses: { 201: answer('The root user', UserView), ...problems(400, 401, 409, 413, 415, 422) },
});

export function createRootUser(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => c.json(userView(await makeRootUser(store, c.req.valid('json'))), 201));
}
