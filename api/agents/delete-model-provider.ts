import { createRoute } from '@hono/zod-openapi';
import { SecretKind } from '../../src/rules/core-kinds.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { ifMatch } from '../read-page.ts';
import { OrgParams } from '../views.ts';
import { modelProviderRef } from './model-provider.ts';

const route = createRoute({
  operationId: 'deleteModelProvider',
  method: 'delete',
  path: '/v1/orgs/{org}/model-provider',
  tags: ['Agents'],
  summary: 'Forget the provider of an org and its key; its agents use the installation’s from their next turn on',
  ...needs('org-admin'),
  request: { params: OrgParams },
  responses: { 204: { description: 'Deleted' }, ...problems(401, 403, 404, 409) },
});

export function deleteModelProvider(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const resourceVersion = ifMatch(c);
    await store.delete(SecretKind, modelProviderRef(org), resourceVersion === undefined ? {} : { resourceVersion });
    return c.body(null, 204);
  });
}
