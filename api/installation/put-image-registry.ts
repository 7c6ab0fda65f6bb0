import { createRoute } from '@hono/zod-openapi';
import { isServiceError, ServiceError } from '../../src/errors.ts';
import { SecretKind } from '../../src/kinds/kubernetes.ts';
import {
  type ImageRegistry,
  imageRegistryRef,
  toImageRegistryData,
} from '../../src/rules/registries/image-registry.ts';
import { toCanonicalHost } from '../../src/rules/registries/registry-address.ts';
import type { Registry } from '../../src/rules/registries/registry.ts';
import { applyObject } from '../../src/store/apply-object.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { acceptsPreconditions, assertHeadersMatch, readPrecondition } from '../http/preconditions.ts';
import { problems } from '../http/problem.ts';
import { body, jsonResponse } from '../http/views.ts';
import { checkRegistry } from '../registries/check-registry.ts';
import { keepPassword } from '../registries/keep-password.ts';
import { ImageRegistryBody, ImageRegistryView } from './image-registry-schemas.ts';
import { createPullJudge, findImageRegistry, respondImageRegistry, toNamed, wakeAllOrgs } from './image-registry.ts';

const route = createRoute({
  operationId: 'putImageRegistry',
  method: 'put',
  path: '/v1/installation/image-registry',
  tags: ['Installation'],
  summary: 'Replace the image registry of the installation',
  description:
    'Signs in to the registry with both accounts, and tries what they may do, before the settings are saved. The next builds of Products that name no registry of their org push there; zones keep the images that they run, and the account that pulls them. All orgs share the two accounts: code of one can pull the images of another, so orgs that do not trust each other connect registries of their own. Without a password the stored one stays, for the same host. Requires the browser session of a platform admin who signed in with a password.',
  ...requireRole('platform-admin', { credential: 'password-session' }),
  ...acceptsPreconditions,
  request: { body: body(ImageRegistryBody) },
  responses: {
    200: jsonResponse('The registry, without its passwords', ImageRegistryView),
    ...problems(400, 401, 403, 409, 413, 415, 422),
  },
});

export function putImageRegistry(app: App, deps: ApiDeps): void {
  const { store } = deps;
  app.openapi(route, async (c) => {
    const requested = c.req.valid('json');
    const before = await findImageRegistry(deps);
    const version = before.secret?.metadata.resourceVersion;
    assertHeadersMatch(version, readPrecondition(c));
    const push = await checkAccount(deps, { requested, use: 'push', stored: before.settings?.push });
    const pull = await checkAccount(deps, { requested, use: 'pull', stored: before.settings?.pull });
    if (push.lastCheck.access !== 'pull-and-push') throw cannotPush(push);
    const previous = await listPrevious(deps, { next: pull, current: before.settings });
    await applyObject(store, SecretKind, {
      ref: imageRegistryRef,
      build: (secret) => {
        if (secret?.metadata.resourceVersion !== version) throw changedMeanwhile();
        return { type: 'Opaque', data: toImageRegistryData({ push, pull, previous }) };
      },
    });
    await wakeAllOrgs(deps);
    return c.json(await respondImageRegistry(c, deps), 200);
  });
}

type Use = 'push' | 'pull';

/** Names the account in the pointers of a refusal. */
async function checkAccount(
  deps: Pick<ApiDeps, 'registries' | 'now'>,
  { requested, use, stored }: { requested: ImageRegistryBody; use: Use; stored: Registry | undefined },
): Promise<Registry> {
  const { host, repositoryPrefix } = requested;
  const settings = keepPassword({ host, repositoryPrefix, ...requested[use] }, stored, `/${use}/password`);
  try {
    return await checkRegistry(deps, use, settings);
  } catch (error) {
    if (!isServiceError(error, 'invalid') || error.reason !== 'registry-setting-invalid') throw error;
    const errors = error.errors.map(({ pointer, detail }) => ({
      pointer: /^\/(username|password)$/.test(pointer) ? `/${use}${pointer}` : pointer,
      detail,
    }));
    throw new ServiceError('registry-setting-invalid', error.message, { errors });
  }
}

const cannotPush = ({ username, repositoryPrefix }: Registry): ServiceError =>
  new ServiceError(
    'registry-setting-invalid',
    `The registry lets the account "${username}" pull but not push below ${repositoryPrefix}. Allow it to push there, or use another account.`,
    { errors: [{ pointer: '/push/username', detail: 'may not push' }] },
  );

/** The check took a while, in which another person may have replaced the registry. */
const changedMeanwhile = (): ServiceError =>
  new ServiceError(
    'stale-version',
    'The image registry has changed since it was read. Read it again and repeat the change.',
  );

/** Keeps the accounts of earlier registries while zones run images that are there. */
async function listPrevious(
  deps: Pick<ApiDeps, 'store' | 'config'>,
  { next, current }: { next: Registry; current: ImageRegistry | undefined },
): Promise<Registry[]> {
  const findViolation = await createPullJudge(deps, current);
  const earlier = current ? [current.pull, ...current.previous] : [];
  return earlier.filter((registry) => !isSamePlace(registry, next) && findViolation(toNamed(registry)) !== undefined);
}

const isSamePlace = (one: Registry, other: Registry): boolean =>
  toCanonicalHost(one.host) === toCanonicalHost(other.host) && one.repositoryPrefix === other.repositoryPrefix;
