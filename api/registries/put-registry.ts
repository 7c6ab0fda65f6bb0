import { createRoute } from '@hono/zod-openapi';
import { ServiceError } from '../../src/errors.ts';
import { wakeRepositoryAccess } from '../../src/reconcile/wake-repository-access.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { registryPushViolation } from '../../src/rules/registries/registry-push-violation.ts';
import type { Registry } from '../../src/rules/registries/registry.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { acceptsPreconditions, assertHeadersMatch, readPrecondition } from '../http/preconditions.ts';
import { problems } from '../http/problem.ts';
import { body, jsonResponse, NamedParams } from '../http/views.ts';
import { checkRegistry } from './check-registry.ts';
import { keepPassword } from './keep-password.ts';
import { assertUniqueHost, createUseJudge, findRegistries, getRegistryNamed, updateRegistries } from './registries.ts';
import { respondRegistry } from './respond-registry.ts';
import { RegistryBody, RegistryView } from './schemas.ts';

const route = createRoute({
  operationId: 'putRegistry',
  method: 'put',
  path: '/v1/orgs/{org}/registries/{name}',
  tags: ['Registries'],
  summary: 'Replace a registry of an org',
  description:
    'Checks the registry again before the settings are saved, and replaces the credentials of builds and zones. Without a password the stored one stays, for the same host. Fails with 409 if the images of Products would no longer be in the registry.',
  ...requireRole('org-admin'),
  ...acceptsPreconditions,
  request: { params: NamedParams, body: body(RegistryBody) },
  responses: {
    200: jsonResponse('The registry, without its password', RegistryView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422),
  },
});

export function putRegistry(app: App, deps: ApiDeps): void {
  const { store } = deps;
  app.openapi(route, async (c) => {
    const { org, name } = c.req.valid('param');
    const precondition = readPrecondition(c);
    const before = await findRegistries(store, org);
    const current = getRegistryNamed(before, { org, name });
    assertHeadersMatch(before.secret?.metadata.resourceVersion, precondition);
    const settings = keepPassword(c.req.valid('json'), current);
    assertUniqueHost(before.registries, { name, ...settings });
    const violation = (await createUseJudge(deps, org))(current, settings);
    if (violation !== undefined)
      throw new ServiceError('registry-in-use', violation, {
        errors: [{ pointer: '/host', detail: 'must stay while the images of Products are there' }],
      });
    const registry = await checkRegistry(deps, name, settings);
    await assertBuildsCanPush(store, { org, registry });
    const secret = await updateRegistries(store, org, (stored) => {
      assertSameRegistry(getRegistryNamed(stored, { org, name }), current);
      assertUniqueHost(stored.registries, registry);
      return stored.registries.map((other) => (other.name === name ? registry : other));
    });
    await wakeRepositoryAccess(deps, org);
    return c.json(await respondRegistry(c, deps, { org, registry, secret }), 200);
  });
}

/** Builds of Products that name the registry would fail with an account that only pulls. */
async function assertBuildsCanPush(
  store: ApiDeps['store'],
  { org, registry }: { org: string; registry: Registry },
): Promise<void> {
  const violation = registryPushViolation(registry);
  if (violation === undefined) return;
  const { items } = await store.list(ProductKind, { namespace: orgNamespace(org) });
  const pushing = items.find(({ spec }) => spec.delivery.registry === registry.name);
  if (!pushing) return;
  const pointer = registry.repositoryPrefix === undefined ? '/repositoryPrefix' : '/username';
  throw new ServiceError(
    'registry-in-use',
    `Builds of the Product "${pushing.metadata.name}" push to the registry "${registry.name}", which ${violation}.`,
    { errors: [{ pointer, detail: 'must let builds push' }] },
  );
}

/** The check took a while, in which another person may have replaced the registry. */
function assertSameRegistry(stored: Registry, read: Registry): void {
  const isSame = (['host', 'repositoryPrefix', 'username', 'password'] as const).every(
    (field) => stored[field] === read[field],
  );
  if (isSame) return;
  throw new ServiceError(
    'stale-version',
    `The registry "${read.name}" has changed since it was read. Read it again and repeat the change.`,
  );
}
