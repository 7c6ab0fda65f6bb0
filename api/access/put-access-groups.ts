import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { readRequiredPrecondition, requiresPrecondition, setETag } from '../http/preconditions.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, body, OrgParams } from '../http/views.ts';
import { saveAccessGroups } from './access-groups.ts';
import { AccessGroupsBody, AccessGroupsView } from './schemas.ts';

const route = createRoute({
  operationId: 'putAccessGroups',
  method: 'put',
  path: '/v1/orgs/{org}/access-groups',
  tags: ['Access'],
  summary: 'Replace the access groups of an org',
  description:
    'Groups that the body does not list are deleted. Requires the role org-admin, and the version that was read, so that no admin overwrites the change of another. Fails with 422 if the groups would take this role from the caller, unless the caller is a platform admin.',
  ...requireRole('org-admin'),
  ...requiresPrecondition,
  request: { params: OrgParams, body: body(AccessGroupsBody) },
  responses: {
    200: jsonResponse('The updated access groups', AccessGroupsView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422),
  },
});

export function putAccessGroups(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { accessGroups: groups, resourceVersion } = c.req.valid('json');
    const precondition = readRequiredPrecondition(c, { resourceVersion });
    const saved = await saveAccessGroups(store, {
      org,
      groups,
      caller: c.get('caller'),
      field: 'accessGroups',
      precondition,
    });
    setETag(c, saved.version);
    return c.json({ accessGroups: saved.groups, resourceVersion: saved.version }, 200);
  });
}
