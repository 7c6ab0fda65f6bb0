import { createRoute } from '@hono/zod-openapi';
import { SecretKind } from '../../src/kinds/kubernetes.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { acceptsPreconditions, deleteIfCurrent, readPrecondition } from '../http/preconditions.ts';
import { OrgParams } from '../http/views.ts';
import { modelProviderRef } from './model-provider.ts';

const route = createRoute({
  operationId: 'deleteModelProvider',
  method: 'delete',
  path: '/v1/orgs/{org}/model-provider',
  tags: ['Agents'],
  summary: 'Delete the model provider of an org',
  description: 'Deletes its keys too. From their next turn on, the org’s agents use the provider of the installation.',
  ...requireRole('org-admin'),
  ...acceptsPreconditions,
  request: { params: OrgParams },
  responses: { 204: { description: 'Deleted' }, ...problems(401, 403, 404, 409) },
});

export function deleteModelProvider(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    await deleteIfCurrent(store, SecretKind, { ref: modelProviderRef(org), precondition: readPrecondition(c) });
    return c.body(null, 204);
  });
}
