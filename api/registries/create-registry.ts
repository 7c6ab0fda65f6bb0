import { createRoute } from '@hono/zod-openapi';
import { wakeRepositoryAccess } from '../../src/reconcile/wake-repository-access.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { body, jsonResponse, OrgParams } from '../http/views.ts';
import { getOrganization } from '../orgs/org.ts';
import { identifyRequest } from '../temporal/idempotency.ts';
import { checkRegistry } from './check-registry.ts';
import { assertAddable, findRegistries, updateRegistries } from './registries.ts';
import { respondRegistry } from './respond-registry.ts';
import { NewRegistryBody, RegistryView } from './schemas.ts';

const route = createRoute({
  operationId: 'createRegistry',
  method: 'post',
  path: '/v1/orgs/{org}/registries',
  tags: ['Registries'],
  summary: 'Connect a registry to an org',
  description:
    'Signs in to the registry before the credentials are saved; below a repository prefix, an upload is begun and cancelled to learn whether the account may push. Builds and zones of the org then use the credentials.',
  ...requireRole('org-admin'),
  request: { params: OrgParams, body: body(NewRegistryBody) },
  responses: {
    201: jsonResponse('The connected registry, without its password', RegistryView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422),
  },
});

export function createRegistry(app: App, deps: ApiDeps): void {
  const { store } = deps;
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { name, ...settings } = c.req.valid('json');
    await getOrganization(store, org);
    const { id: request } = identifyRequest(c, `createRegistry ${org} ${name}`);
    assertAddable(await findRegistries(store, org), { name, ...settings, request });
    const registry = { ...(await checkRegistry(deps, name, settings)), request };
    const secret = await updateRegistries(store, org, (stored) => {
      assertAddable(stored, registry);
      return [...stored.registries.filter((other) => other.request !== request), registry];
    });
    await wakeRepositoryAccess(deps, org);
    c.header('Location', `/api/v1/orgs/${org}/registries/${name}`);
    return c.json(await respondRegistry(c, deps, { org, registry, secret }), 201);
  });
}
