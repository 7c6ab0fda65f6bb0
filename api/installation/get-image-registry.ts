import { createRoute } from '@hono/zod-openapi';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse } from '../http/views.ts';
import { ImageRegistryView } from './image-registry-schemas.ts';
import { respondImageRegistry } from './image-registry.ts';

const route = createRoute({
  operationId: 'getImageRegistry',
  method: 'get',
  path: '/v1/installation/image-registry',
  tags: ['Installation'],
  summary: 'Get the image registry of the installation',
  description:
    'Returns the registry that holds the images of Products that name no registry of their org, and what it allowed when it was last checked. The passwords are never returned. Requires a platform admin.',
  ...requireRole('platform-admin'),
  responses: { 200: jsonResponse('The registry', ImageRegistryView), ...problems(401, 403) },
});

export function getImageRegistry(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => c.json(await respondImageRegistry(c, deps), 200));
}
