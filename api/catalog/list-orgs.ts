import { createRoute } from '@hono/zod-openapi';
import { OrganizationKind } from '../../src/rules/catalog/kinds.ts';
import { rolesOf } from '../access/roles-of.ts';
import type { App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { showList } from '../show-list.ts';
import { cutPage } from '../read-page.ts';
import { answer, listSchema, PageQuery } from '../views.ts';
import { orgRef } from './org.ts';
import { OrganizationView, organizationView } from './schemas.ts';

const route = createRoute({
  operationId: 'listOrgs',
  method: 'get',
  path: '/v1/orgs',
  tags: ['Orgs'],
  summary: 'List the orgs in which you have a role',
  ...needs('signed-in'),
  request: { query: PageQuery },
  responses: { 200: answer('Your orgs', listSchema(OrganizationView)), ...problems(401, 422) },
});

export function listOrgs(app: App): void {
  app.openapi(route, async (c) => {
    return await showList(c, async (heard) => {
      const mine = await rolesOf(heard, c.get('caller'));
      const { items, ...page } = cutPage(mine, ({ org }) => org, c.req.valid('query'));
      const found = await Promise.all(
        items.map(async ({ org, role }) => ({ role, org: await heard.find(OrganizationKind, orgRef(org)) })),
      );
      const views = found.flatMap(({ org, role }) => (org ? [organizationView(org, role)] : []));
      return { items: views, ...page };
    });
  });
}
