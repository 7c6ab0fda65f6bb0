import { createRoute } from '@hono/zod-openapi';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { deleteStoredLicense } from './license.ts';

const route = createRoute({
  operationId: 'deleteLicense',
  method: 'delete',
  path: '/v1/license',
  tags: ['Installation'],
  summary: 'Remove the license of the installation',
  description:
    'Returns the installation to the state `evaluation`. Requires the browser session of a platform admin who signed in with a password.',
  ...requireRole('platform-admin', { credential: 'password-session' }),
  responses: { 204: { description: 'No license is installed' }, ...problems(401, 403) },
});

export function deleteLicense(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    await deleteStoredLicense(store);
    return c.body(null, 204);
  });
}
