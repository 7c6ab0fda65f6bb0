import { createRoute } from '@hono/zod-openapi';
import { ServiceError } from '../../src/errors.ts';
import { wakeRepositoryAccess } from '../../src/reconcile/wake-repository-access.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { acceptsPreconditions, assertHeadersMatch, readPrecondition } from '../http/preconditions.ts';
import { problems } from '../http/problem.ts';
import { NamedParams } from '../http/views.ts';
import { createUseJudge, getRegistryNamed, updateRegistries } from './registries.ts';

const route = createRoute({
  operationId: 'deleteRegistry',
  method: 'delete',
  path: '/v1/orgs/{org}/registries/{name}',
  tags: ['Registries'],
  summary: 'Delete a registry of an org',
  description:
    'Deletes the credentials, also those that builds and zones have. Fails with 409 while the registry holds the images of Products.',
  ...requireRole('org-admin'),
  ...acceptsPreconditions,
  request: { params: NamedParams },
  responses: { 204: { description: 'Deleted' }, ...problems(401, 403, 404, 409) },
});

export function deleteRegistry(app: App, deps: ApiDeps): void {
  const { store } = deps;
  app.openapi(route, async (c) => {
    const { org, name } = c.req.valid('param');
    const precondition = readPrecondition(c);
    const findViolation = await createUseJudge(deps, org);
    await updateRegistries(store, org, (stored) => {
      const registry = getRegistryNamed(stored, { org, name });
      assertHeadersMatch(stored.secret?.metadata.resourceVersion, precondition);
      const violation = findViolation(registry);
      if (violation !== undefined) throw new ServiceError('registry-in-use', violation);
      return stored.registries.filter((other) => other.name !== name);
    });
    await wakeRepositoryAccess(deps, org);
    return c.body(null, 204);
  });
}
