import { createRoute, z } from '@hono/zod-openapi';
import { invalid } from '../../src/errors.ts';
import { startOrgDeletion } from '../../src/reconcile/start-org-deletion.ts';
import { requireRole } from '../auth/require-role.ts';
import { assertAccountsUnused } from '../cloud-accounts/assert-accounts-unused.ts';
import type { ApiDeps, App } from '../deps.ts';
import { acceptsPreconditions, assertCurrent, readPrecondition } from '../http/preconditions.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, OrgParams } from '../http/views.ts';
import { getOrganization } from './org.ts';
import { OrganizationView, toOrganizationView } from './schemas.ts';

const route = createRoute({
  operationId: 'deleteOrg',
  method: 'delete',
  path: '/v1/orgs/{org}',
  tags: ['Orgs'],
  summary: 'Delete an org',
  description:
    'Cancels its runs and Releases, and deletes its Products with their zones, its domains, agents, access groups and credentials. The deletion continues after the response, and `status.deletionMessage` shows its progress. The repos and the app at the code host are kept; delete the app there.',
  ...requireRole('org-admin', { whileDeleting: true }),
  ...acceptsPreconditions,
  request: {
    params: OrgParams,
    query: z.strictObject({
      confirm: z.string().openapi({
        description: 'Name of the org, which confirms that everything in it is to be deleted.',
        example: 'acme',
      }),
    }),
  },
  responses: {
    202: jsonResponse('The org, marked as being deleted', OrganizationView),
    ...problems(401, 403, 404, 409, 422),
  },
});

export function deleteOrg(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { confirm } = c.req.valid('query');
    const organization = await getOrganization(deps.store, org);
    if (confirm !== org)
      throw invalid(`The confirmation does not name the org. Send ?confirm=${org} to delete it with all its data.`, [
        { pointer: '?confirm', detail: `must be "${org}"` },
      ]);
    assertCurrent(organization, readPrecondition(c));
    await assertAccountsUnused(deps.store, org);
    await startOrgDeletion(deps, { org, by: c.get('caller').email });
    return c.json(toOrganizationView(await getOrganization(deps.store, org), c.get('role')), 202);
  });
}
