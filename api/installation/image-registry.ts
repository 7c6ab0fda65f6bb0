import type { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { type Secret, SecretKind } from '../../src/kinds/kubernetes.ts';
import { wakeRepositoryAccess } from '../../src/reconcile/wake-repository-access.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import {
  type ImageRegistry,
  imageRegistryRef,
  readImageRegistry,
  toImageRepositories,
} from '../../src/rules/registries/image-registry.ts';
import { listRunningRepositories } from '../../src/rules/registries/image-repository.ts';
import { registryUseViolation } from '../../src/rules/registries/registry-use-violation.ts';
import type { Registry } from '../../src/rules/registries/registry.ts';
import { systemNamespace, toOrgName } from '../../src/rules/resource.ts';
import { passwordSessionViolation } from '../auth/assert-credential.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { setETag } from '../http/preconditions.ts';
import type { ImageRegistryView } from './image-registry-schemas.ts';

type Deps = Pick<ApiDeps, 'store' | 'config'>;
type View = z.infer<typeof ImageRegistryView>;

type StoredImageRegistry = { secret: Secret | undefined; settings: ImageRegistry | undefined };

export async function findImageRegistry({ store }: Pick<Deps, 'store'>): Promise<StoredImageRegistry> {
  const secret = await store.find(SecretKind, imageRegistryRef);
  return { secret, settings: readImageRegistry(secret) };
}

const toRepositories = ({ config }: Pick<Deps, 'config'>, settings: ImageRegistry | undefined) =>
  settings ? toImageRepositories(settings) : config.imageRepository;

/** Returns a function that says why zones still need a registry: they run images that are there. */
export async function createPullJudge(
  deps: Deps,
  settings: ImageRegistry | undefined,
): Promise<(registry: Pick<Registry, 'name' | 'host' | 'repositoryPrefix'>) => string | undefined> {
  const toRepository = toRepositories(deps, settings);
  const { items } = await deps.store.list(ProductKind);
  const running = items.flatMap(({ metadata: { namespace, name }, status }) => {
    const org = toOrgName(namespace);
    return listRunningRepositories(status, toRepository(org, name)).map((repository) => ({
      product: `${org}/${name}`,
      repository,
    }));
  });
  return (registry) => registryUseViolation(registry, running);
}

/** Lets the builds and zones of every org get the current credentials now. */
export async function wakeAllOrgs(deps: Pick<ApiDeps, 'store' | 'temporal' | 'log'>): Promise<void> {
  const { items } = await deps.store.list(OrganizationKind, { namespace: systemNamespace });
  await Promise.all(items.map(async ({ metadata }) => await wakeRepositoryAccess(deps, metadata.name)));
}

/** Sets the version of the response, and returns the view of the registry. */
export async function respondImageRegistry(c: Context<ApiEnv>, deps: ApiDeps): Promise<View> {
  const { secret, settings } = await findImageRegistry(deps);
  const violation = settings && (await createPullJudge(deps, settings))(toNamed(settings.pull));
  const resourceVersion = secret?.metadata.resourceVersion;
  if (resourceVersion !== undefined) setETag(c, resourceVersion);
  return {
    source: settings ? 'settings' : 'environment',
    repository: toRepositories(deps, settings)('{org}', '{product}'),
    ...(settings && toSettingsView(settings)),
    previous: (settings?.previous ?? []).map(toPlace),
    // An installation that keeps images itself runs on one machine.
    use: deps.isImageDeleted ? 'none' : 'cluster',
    ...(resourceVersion !== undefined && { resourceVersion }),
    actions: listActions(c, { settings, violation }),
  };
}

/** Names a registry by the place of its images, as people read it in messages. */
export const toNamed = (registry: Registry): Registry => ({
  ...registry,
  name: [registry.host, registry.repositoryPrefix].filter(Boolean).join('/'),
});

const toPlace = ({ host, repositoryPrefix }: Registry): View['previous'][number] => ({
  host,
  ...(repositoryPrefix !== undefined && { repositoryPrefix }),
});

const toAccountView = ({ username, lastCheck }: Registry): NonNullable<View['push']> => ({ username, lastCheck });

const toSettingsView = ({ push, pull }: ImageRegistry) => ({
  ...toPlace(push),
  push: toAccountView(push),
  pull: toAccountView(pull),
});

/** Only a platform admin reads the registry, so the session and the images decide. */
function listActions(
  c: Context<ApiEnv>,
  { settings, violation }: { settings: ImageRegistry | undefined; violation: string | undefined },
): View['actions'] {
  const refusal = passwordSessionViolation(c.get('credential'));
  const toAction = (name: string, blockedBy?: string): View['actions'][number] => {
    if (refusal !== undefined) return { name, allowed: false, reason: 'role-insufficient', message: refusal };
    if (blockedBy !== undefined) return { name, allowed: false, reason: 'state-conflict', message: blockedBy };
    return { name, allowed: true };
  };
  return [
    toAction('putImageRegistry'),
    toAction('deleteImageRegistry', settings ? violation : 'The registry is that of the environment.'),
  ];
}
