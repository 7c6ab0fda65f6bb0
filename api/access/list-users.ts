import { createRoute } from '@hono/zod-openapi';
import { UserKind } from '../../src/rules/access/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { readPage } from '../read-page.ts';
import { showList } from '../show-list.ts';
import { answer, listSchema, PageQuery } from '../views.ts';
import { UserView, userView } from './schemas.ts';

const route = createRoute({
  operationId: 'listUsers',
  method: 'get',
  path: '/v1/access/users',
  tags: ['Access'],
  summary: 'List the users of the installation',
  ...needs('platform-admin'),
  request: { query: PageQuery },
  responses: { 200: answer('The users', listSchema(UserView)), ...problems(401, 403, 422) },
});

export function listUsers(app: App): void {
  app.openapi(route, async (c) => {
    return await showList(c, async (heard) => {
      const where = { namespace: systemNamespace, ...c.req.valid('query') };
      const { items, ...page } = await readPage(heard, UserKind, where);
      return { items: items.map(userView), ...page };
    });
  });
}
