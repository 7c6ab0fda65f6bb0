import { createRoute } from '@hono/zod-openapi';
import { CloudAccountKind } from '../../src/rules/cloud-accounts/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { requireRole } from '../auth/require-role.ts';
import type { App } from '../deps.ts';
import { readPage } from '../http/pagination.ts';
import { problems } from '../http/problem.ts';
import { respondCached } from '../http/respond-cached.ts';
import { jsonResponse, listSchema, OrgParams, PageQuery } from '../http/views.ts';
import { getOrganization } from '../orgs/org.ts';
import { CloudAccountView, toCloudAccountView } from './schemas.ts';

const route = createRoute({
  operationId: 'listCloudAccounts',
  method: 'get',
  path: '/v1/orgs/{org}/cloud-accounts',
  tags: ['Cloud accounts'],
  summary: 'List the cloud accounts of an org',
  description: 'Returns the accounts at clouds with the results of their last checks. They hold no secrets.',
  ...requireRole('org-admin'),
  request: { params: OrgParams, query: PageQuery },
  responses: {
    200: jsonResponse('A page of cloud accounts', listSchema(CloudAccountView)),
    ...problems(401, 403, 404, 422),
  },
});

export function listCloudAccounts(app: App): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const query = c.req.valid('query');
    return await respondCached(c, async (reads) => {
      await getOrganization(reads, org);
      const { items, ...page } = await readPage(c, reads, CloudAccountKind, { namespace: orgNamespace(org), query });
      return { items: items.map((item) => toCloudAccountView(item, c.get('role'))), ...page };
    });
  });
}
