import { createRoute } from '@hono/zod-openapi';
import { mayAdminister } from '../../src/rules/access/roles.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse } from '../http/views.ts';
import { listOrgRoles } from './list-org-roles.ts';
import { MeView } from './schemas.ts';

const route = createRoute({
  operationId: 'getMe',
  method: 'get',
  path: '/v1/me',
  tags: ['Access'],
  summary: 'Get the current user',
  description: 'Returns the authenticated user and their role in each org.',
  ...requireRole('signed-in'),
  responses: { 200: jsonResponse('The current user', MeView), ...problems(401) },
});

export function getMe(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const caller = c.get('caller');
    const orgs = await listOrgRoles(store, caller);
    const { providerGroups: _, ...view } = caller;
    return c.json({ ...view, platformAdmin: mayAdminister(caller), orgs }, 200);
  });
}
