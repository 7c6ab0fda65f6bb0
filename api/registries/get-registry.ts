import { createRoute } from '@hono/zod-openapi';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, NamedParams } from '../http/views.ts';
import { findRegistries, getRegistryNamed } from './registries.ts';
import { respondRegistry } from './respond-registry.ts';
import { RegistryView } from './schemas.ts';

const route = createRoute({
  operationId: 'getRegistry',
  method: 'get',
  path: '/v1/orgs/{org}/registries/{name}',
  tags: ['Registries'],
  summary: 'Get a registry of an org',
  description: 'Returns the settings and the result of the last check. The password is never returned.',
  ...requireRole('org-admin'),
  request: { params: NamedParams },
  responses: { 200: jsonResponse('The registry', RegistryView), ...problems(401, 403, 404) },
});

export function getRegistry(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const ref = c.req.valid('param');
    const stored = await findRegistries(deps.store, ref.org);
    const registry = getRegistryNamed(stored, ref);
    return c.json(await respondRegistry(c, deps, { org: ref.org, registry, secret: stored.secret }), 200);
  });
}
