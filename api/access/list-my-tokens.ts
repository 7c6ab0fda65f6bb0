import { createRoute } from '@hono/zod-openapi';
import { ApiTokenKind } from '../../src/rules/access/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { readPage } from '../read-page.ts';
import { showList } from '../show-list.ts';
import { answer, listSchema, PageQuery } from '../views.ts';
import { TokenView, tokenView } from './schemas.ts';

const route = createRoute({
  operationId: 'listMyTokens',
  method: 'get',
  path: '/v1/me/tokens',
  tags: ['Access'],
  summary: 'List your API tokens',
  ...needs('signed-in'),
  request: { query: PageQuery },
  responses: { 200: answer('Your tokens, without their text', listSchema(TokenView)), ...problems(401, 422) },
});

export function listMyTokens(app: App): void {
  app.openapi(route, async (c) => {
    return await showList(c, async (heard) => {
      const { items, ...page } = await readPage(heard, ApiTokenKind, {
        namespace: systemNamespace,
        fields: { 'spec.user': c.get('caller').user, 'spec.use': 'token' },
        ...c.req.valid('query'),
      });
      return { items: items.map(tokenView), ...page };
    });
  });
}
