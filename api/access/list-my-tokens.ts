import { createRoute } from '@hono/zod-openapi';
import { ApiTokenKind } from '../../src/rules/access/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { listQuery, matchesListQuery } from '../http/list-query.ts';
import { readPage } from '../http/pagination.ts';
import { respondCached } from '../http/respond-cached.ts';
import { jsonResponse, listSchema } from '../http/views.ts';
import { TokenView, toTokenView } from './schemas.ts';

const route = createRoute({
  operationId: 'listMyTokens',
  method: 'get',
  path: '/v1/me/tokens',
  tags: ['Access'],
  summary: 'List the API tokens of the current user',
  description: 'Returns the tokens without their secret text.',
  ...requireRole('signed-in'),
  request: { query: listQuery('name') },
  responses: { 200: jsonResponse('A page of tokens', listSchema(TokenView)), ...problems(401, 422) },
});

export function listMyTokens(app: App): void {
  app.openapi(route, async (c) => {
    return await respondCached(c, async (reads) => {
      const query = c.req.valid('query');
      const { items, ...page } = await readPage(c, reads, ApiTokenKind, {
        namespace: systemNamespace,
        fields: { 'spec.user': c.get('caller').user, 'spec.use': 'token' },
        query,
        matches: (token) => matchesListQuery(token, query, [token.spec.label]),
      });
      return { items: items.map(toTokenView), ...page };
    });
  });
}
