import { createRoute } from '@hono/zod-openapi';
import { CloudAccountKind } from '../../src/rules/cloud-accounts/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { acceptsPreconditions, deleteIfCurrent, readPrecondition } from '../http/preconditions.ts';
import { problems } from '../http/problem.ts';
import { NamedParams } from '../http/views.ts';
import { assertAccountsUnused } from './assert-accounts-unused.ts';

const route = createRoute({
  operationId: 'deleteCloudAccount',
  method: 'delete',
  path: '/v1/orgs/{org}/cloud-accounts/{name}',
  tags: ['Cloud accounts'],
  summary: 'Delete a cloud account of an org',
  description:
    'Deletes the settings here. The cloud trusts the installation until its own settings are removed, too. Fails with 409 while the installation signs in to a workload cluster with the account.',
  ...requireRole('org-admin'),
  ...acceptsPreconditions,
  request: { params: NamedParams },
  responses: { 204: { description: 'Deleted' }, ...problems(401, 403, 404, 409) },
});

export function deleteCloudAccount(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, name } = c.req.valid('param');
    const ref = { namespace: orgNamespace(org), name };
    await assertAccountsUnused(store, org, name);
    await deleteIfCurrent(store, CloudAccountKind, { ref, precondition: readPrecondition(c) });
    return c.body(null, 204);
  });
}
