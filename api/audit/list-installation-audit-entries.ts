import { createRoute } from '@hono/zod-openapi';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { installationScope } from './audit-log.ts';
import { respondEntries } from './respond-entries.ts';
import { AuditQuery, auditResponse } from './schemas.ts';

const route = createRoute({
  operationId: 'listInstallationAuditEntries',
  method: 'get',
  path: '/v1/audit',
  tags: ['Audit'],
  summary: 'List the audit log entries of the installation',
  description:
    'Returns changes that belong to no org, newest first: sign-ins, users, tokens, orgs that were created or deleted, and the license. The changes of an org are at `/v1/orgs/{org}/audit`. Requires a platform admin.',
  ...requireRole('platform-admin'),
  request: { query: AuditQuery },
  responses: { 200: auditResponse, ...problems(401, 403, 422) },
});

export function listInstallationAuditEntries(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    return (await respondEntries(c, deps, { scope: installationScope, query: c.req.valid('query') })) as never;
  });
}
