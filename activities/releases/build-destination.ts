import { isServiceError } from '../../src/errors.ts';
import type { Registries } from '../../src/integrations/registries/registries.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { toImageRepository } from '../../src/rules/registries/image-repository.ts';
import type { InstallationImages } from '../../src/rules/registries/image-registry.ts';
import { registryPushViolation } from '../../src/rules/registries/registry-push-violation.ts';
import type { Registry } from '../../src/rules/registries/registry.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { readInstallationImages } from '../../src/store/image-registry.ts';
import { listRegistries } from '../../src/store/registries.ts';
import type { Store } from '../../src/store/store.ts';
import { saveOrgPushSecret, savePushSecret } from '../environments/registry-credentials.ts';

export type BuildRefusal = { outcome: 'failed'; reason: string; fix: string };
export type BuildDestination = { repository: string; pushSecret?: string };

type DestinationDeps = InstallationImages & {
  store: Store;
  registries: Registries;
  /** Absent if a registry holds the images. */
  isImageDeleted?: (digest: string) => Promise<boolean>;
};
type ProductRef = { org: string; product: string };

/** Returns where the builds of a Product push, after it has given them the credentials, or why they cannot. */
export async function prepareDestination(
  deps: DestinationDeps,
  { org, product }: ProductRef,
): Promise<BuildDestination | BuildRefusal> {
  const { store } = deps;
  const { registry, imageRepository } = await readInstallationImages(store, deps);
  const name = await findRegistryName(deps, { org, product });
  if (name === undefined) {
    const pushSecret = await savePushSecret(store, org, registry);
    return { repository: imageRepository(org, product), ...(pushSecret !== undefined && { pushSecret }) };
  }
  const found = await findRegistry(deps, org, name);
  if (!found) return toMissing(product, name);
  const refusal = await checkPush(deps.registries, found);
  if (refusal) return refusal;
  return { repository: toImageRepository(found, product), pushSecret: await saveOrgPushSecret(store, org, registry) };
}

/** Returns why the registry of a failed build refuses the credentials, if it does. */
export async function explainPushFailure(deps: DestinationDeps, ref: ProductRef): Promise<BuildRefusal | undefined> {
  const name = await findRegistryName(deps, ref);
  const found = name === undefined ? undefined : await findRegistry(deps, ref.org, name);
  return found && (await checkPush(deps.registries, found));
}

/** On one machine, builds push to no registry. */
async function findRegistryName(
  { store, isImageDeleted }: DestinationDeps,
  { org, product }: ProductRef,
): Promise<string | undefined> {
  if (isImageDeleted) return undefined;
  const found = await store.find(ProductKind, { namespace: orgNamespace(org), name: product });
  return found?.spec.delivery.registry;
}

const findRegistry = async ({ store }: DestinationDeps, org: string, name: string): Promise<Registry | undefined> =>
  (await listRegistries(store, org)).find((registry) => registry.name === name);

const toMissing = (product: string, name: string): BuildRefusal => ({
  outcome: 'failed',
  reason: `The Product "${product}" pushes to the registry "${name}", which the org does not have.`,
  fix: `Connect the registry "${name}" in Settings, Registries, or choose another one in the settings of the Product. Then start the Release again.`,
});

/** Asks the registry, because a build only learns after minutes that it cannot push. */
async function checkPush(registries: Registries, registry: Registry): Promise<BuildRefusal | undefined> {
  const { name, lastCheck } = registry;
  try {
    const access = await registries.check(registry);
    const violation = registryPushViolation({ ...registry, lastCheck: { ...lastCheck, access } });
    if (violation === undefined) return undefined;
    return {
      outcome: 'failed',
      reason: `Builds cannot push to the registry "${name}", which ${violation}.`,
      fix: `Let builds push to the registry "${name}", and start the Release again.`,
    };
  } catch (error) {
    if (!isServiceError(error)) throw error;
    const isRefused = error.code === 'invalid' && error.errors.some(({ pointer }) => pointer !== '/host');
    // A registry that cannot be reached for a moment may be back when the build pushes.
    if (!isRefused) return undefined;
    return {
      outcome: 'failed',
      reason: `Builds cannot push to the registry "${name}". ${error.message}`,
      fix: `Replace the credentials of the registry "${name}" in Settings, Registries, and start the Release again.`,
    };
  }
}
