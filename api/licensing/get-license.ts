import { createRoute } from '@hono/zod-openapi';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse } from '../http/views.ts';
import { getLicenseView, LicenseView } from './license.ts';

const route = createRoute({
  operationId: 'getLicense',
  method: 'get',
  path: '/v1/license',
  tags: ['Installation'],
  summary: 'Get the license of the installation',
  description: 'Returns the state and the terms of the license, never the license itself. It locks no feature.',
  ...requireRole('signed-in'),
  responses: { 200: jsonResponse('The state of the license', LicenseView), ...problems(401) },
});

export function getLicense(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => c.json(await getLicenseView(c, deps), 200));
}
