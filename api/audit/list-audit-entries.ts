import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { OrgParams } from '../http/views.ts';
import { getOrganization } from '../orgs/org.ts';
import { respondEntries } from './respond-entries.ts';
import { AuditQuery, auditResponse } from './schemas.ts';

const route = createRoute({
  operationId: 'listAuditEntries',
  method: 'get',
  path: '/v1/orgs/{org}/audit',
  tags: ['Audit'],
  summary: 'List the audit log entries of an org',
  description:
    'Returns who changed what in the org, newest first. Changes of people who lack the role are included, refusals of others are not. A page can have fewer entries than `limit` before the last one. Entries are kept for the time that the operator set, and no operation changes or deletes them.',
  ...requireRole('org-admin'),
  request: { params: OrgParams, query: AuditQuery },
  responses: { 200: auditResponse, ...problems(401, 403, 404, 422) },
});

export function listAuditEntries(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { metadata } = await getOrganization(deps.store, c.req.valid('param').org);
    return (await respondEntries(c, deps, { scope: metadata.uid, query: c.req.valid('query') })) as never;
  });
}
