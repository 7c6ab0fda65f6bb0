import { createRoute } from '@hono/zod-openapi';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { decideSignIn, getUndecidedSignIn } from './device-sign-ins.ts';
import { DeviceSignInParams } from './schemas.ts';

const route = createRoute({
  operationId: 'denyDeviceSignIn',
  method: 'post',
  path: '/v1/me/device-sign-ins/{code}/deny',
  tags: ['Access'],
  summary: 'Deny the sign-in of a tool',
  description: 'Ends the sign-in of the tool that shows the code. Requires a browser session.',
  ...requireRole('signed-in', { credential: 'session' }),
  request: { params: DeviceSignInParams },
  responses: { 204: { description: 'The tool gets no token' }, ...problems(401, 403, 404, 409) },
});

export function denyDeviceSignIn(app: App, { store, now }: ApiDeps): void {
  app.openapi(route, async (c) => {
    await decideSignIn(store, await getUndecidedSignIn(store, c.req.valid('param').code, now()), { approved: false });
    return c.body(null, 204);
  });
}
