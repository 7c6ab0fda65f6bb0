import { createRoute } from '@hono/zod-openapi';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse } from '../http/views.ts';
import { getUndecidedSignIn } from './device-sign-ins.ts';
import { DeviceSignInParams, DeviceSignInView, toDeviceSignInView } from './schemas.ts';

const route = createRoute({
  operationId: 'getDeviceSignIn',
  method: 'get',
  path: '/v1/me/device-sign-ins/{code}',
  tags: ['Access'],
  summary: 'Get the sign-in of a tool',
  description: 'Returns which tool shows the code and from where it asked, for the person who decides in a browser.',
  ...requireRole('signed-in', { credential: 'session' }),
  request: { params: DeviceSignInParams },
  responses: { 200: jsonResponse('The sign-in', DeviceSignInView), ...problems(401, 403, 404) },
});

export function getDeviceSignIn(app: App, { store, now }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { signIn } = await getUndecidedSignIn(store, c.req.valid('param').code, now());
    return c.json(toDeviceSignInView(signIn), 200);
  });
}
