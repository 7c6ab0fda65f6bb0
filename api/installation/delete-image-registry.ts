import { createRoute } from '@hono/zod-openapi';
import { notFound, ServiceError } from '../../src/errors.ts';
import { SecretKind } from '../../src/kinds/kubernetes.ts';
import { imageRegistryRef } from '../../src/rules/registries/image-registry.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { acceptsPreconditions, deleteIfCurrent, readPrecondition } from '../http/preconditions.ts';
import { problems } from '../http/problem.ts';
import { createPullJudge, findImageRegistry, toNamed, wakeAllOrgs } from './image-registry.ts';

const route = createRoute({
  operationId: 'deleteImageRegistry',
  method: 'delete',
  path: '/v1/installation/image-registry',
  tags: ['Installation'],
  summary: 'Delete the image registry of the installation',
  description:
    'Deletes the registry and its credentials; builds then push to the registry of the environment variables. Fails with 409 while zones run images of the registry. Requires the browser session of a platform admin who signed in with a password.',
  ...requireRole('platform-admin', { credential: 'password-session' }),
  ...acceptsPreconditions,
  responses: { 204: { description: 'Deleted' }, ...problems(401, 403, 404, 409) },
});

export function deleteImageRegistry(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { secret, settings } = await findImageRegistry(deps);
    if (!secret) throw notFound('image registry', 'settings', 'the installation');
    const findViolation = await createPullJudge(deps, settings);
    for (const registry of settings ? [settings.pull, ...settings.previous] : []) {
      const violation = findViolation(toNamed(registry));
      if (violation !== undefined) throw new ServiceError('registry-in-use', violation);
    }
    await deleteIfCurrent(deps.store, SecretKind, { ref: imageRegistryRef, precondition: readPrecondition(c) });
    await wakeAllOrgs(deps);
    return c.body(null, 204);
  });
}
