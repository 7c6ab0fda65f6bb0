import { createRoute } from '@hono/zod-openapi';
import { lastHeard } from '../../src/store/last-heard.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer } from '../views.ts';
import { rolesOf } from './roles-of.ts';
import { MeView } from './schemas.ts';

const route = createRoute({
  operationId: 'getMe',
  method: 'get',
  path: '/v1/me',
  tags: ['Access'],
  summary: 'Who you are, and your role in each org',
  ...needs('signed-in'),
  responses: { 200: answer('You', MeView), ...problems(401) },
});

export function getMe(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const caller = c.get('caller');
    const orgs = await rolesOf(lastHeard(store), caller);
    return c.json({ ...caller, orgs }, 200);
  });
}
