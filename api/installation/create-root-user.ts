import { createRoute } from '@hono/zod-openapi';
import { NewUserBody, toUserView, UserView } from '../access/schemas.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, body } from '../http/views.ts';
import { registerRootUser } from './root-user.ts';

const route = createRoute({
  operationId: 'createRootUser',
  method: 'post',
  path: '/v1/setup/root-user',
  tags: ['Installation'],
  summary: 'Create the root user',
  description:
    'Creates the first platform admin, and deletes the setup token, which authenticates the request. Fails with 409 if the root user already exists.',
  ...requireRole('setup-token'),
  request: { body: body(NewUserBody) },
  responses: { 201: jsonResponse('The created root user', UserView), ...problems(400, 401, 409, 413, 415, 422) },
});

export function createRootUser(app: App, { store, config: { setupTokenFile } }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { hasher } = c.get('signInGuards');
    return c.json(toUserView(await registerRootUser({ store, hasher, setupTokenFile }, c.req.valid('json'))), 201);
  });
}
