import { createRoute } from '@hono/zod-openapi';
import { UserKind } from '../../src/rules/access/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { listQuery, matchesListQuery } from '../http/list-query.ts';
import { readPage } from '../http/pagination.ts';
import { respondCached } from '../http/respond-cached.ts';
import { jsonResponse, listSchema } from '../http/views.ts';
import { UserView, toUserView } from './schemas.ts';

const route = createRoute({
  operationId: 'listUsers',
  method: 'get',
  path: '/v1/access/users',
  tags: ['Access'],
  summary: 'List the users of the installation',
  description: 'Requires a platform admin.',
  ...requireRole('platform-admin'),
  request: { query: listQuery('name') },
  responses: { 200: jsonResponse('A page of users', listSchema(UserView)), ...problems(401, 403, 422) },
});

export function listUsers(app: App): void {
  app.openapi(route, async (c) => {
    return await respondCached(c, async (reads) => {
      const query = c.req.valid('query');
      const { items, ...page } = await readPage(c, reads, UserKind, {
        namespace: systemNamespace,
        query,
        matches: (user) => matchesListQuery(user, query, [user.spec.email]),
      });
      return { items: items.map(toUserView), ...page };
    });
  });
}
