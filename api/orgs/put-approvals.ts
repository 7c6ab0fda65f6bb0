import { createRoute } from '@hono/zod-openapi';
import { ApprovalRules, OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { acceptsPreconditions, assertCurrent, readPrecondition, setETag } from '../http/preconditions.ts';
import { withAcceptedSpec } from '../http/replace-spec.ts';
import { jsonResponse, body, OrgParams } from '../http/views.ts';
import { getOrganization } from './org.ts';
import { OrganizationView, toOrganizationView } from './schemas.ts';

const route = createRoute({
  operationId: 'putApprovals',
  method: 'put',
  path: '/v1/orgs/{org}/approvals',
  tags: ['Orgs'],
  summary: 'Replace the approval rules of an org',
  description:
    'The rules apply to approvals from now on. Requires the role org-admin. Fails with 412 if the org changed since it was read (`If-Match`).',
  ...requireRole('org-admin'),
  ...acceptsPreconditions,
  request: { params: OrgParams, body: body(ApprovalRules) },
  responses: {
    200: jsonResponse('The updated org', OrganizationView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422),
  },
});

export function putApprovals(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const org = await getOrganization(store, c.req.valid('param').org);
    assertCurrent(org, readPrecondition(c));
    const spec = { ...org.spec, approvals: c.req.valid('json') };
    const replaced = await store.replace(OrganizationKind, withAcceptedSpec(org, spec));
    setETag(c, replaced.metadata.resourceVersion);
    return c.json(toOrganizationView(replaced, c.get('role')), 200);
  });
}
