import { createRoute, z } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer, body } from '../views.ts';
import { UserView, userView } from './schemas.ts';
import { startSession } from './start-session.ts';

const route = createRoute({
  operationId: 'signIn',
  method: 'post',
  path: '/v1/auth/sign-in',
  tags: ['Access'],
  summary: 'Sign in with an e-mail address and a password',
  ...needs('anyone'),
  request: { body: body(z.strictObject({ email: z.email().max(254), password: z.string().min(1).max(200) })) },
  responses: {
    200: answer('Signed in: the session is in the cookie', UserView),
    ...problems(400, 401, 413, 415, 422, 429),
  },
});

export function signIn(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { user } = await startSession(c, deps, c.req.valid('json'));
    return c.json(userView(user), 200);
  });
}
