import { invalid, notFound, ServiceError } from '../../src/errors.ts';
import { type Secret, SecretKind } from '../../src/kinds/kubernetes.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { listImageRepositories } from '../../src/rules/registries/image-repository.ts';
import {
  readRegistries,
  registriesSecretName,
  toRegistriesData,
} from '../../src/rules/registries/registries-secret.ts';
import { toCanonicalHost } from '../../src/rules/registries/registry-address.ts';
import { registryUseViolation } from '../../src/rules/registries/registry-use-violation.ts';
import { registriesMax, type Registry } from '../../src/rules/registries/registry.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { applyObject } from '../../src/store/apply-object.ts';
import { readImageRepository } from '../../src/store/image-registry.ts';
import type { Store } from '../../src/store/store.ts';
import type { ApiDeps } from '../deps.ts';

type RegistryRef = { org: string; name: string };

const secretRef = (org: string) => ({ namespace: orgNamespace(org), name: registriesSecretName });

export type StoredRegistries = { secret: Secret | undefined; registries: Registry[] };

export async function findRegistries(store: Store, org: string): Promise<StoredRegistries> {
  const secret = await store.find(SecretKind, secretRef(org));
  return { secret, registries: readRegistries(secret) };
}

export function getRegistryNamed({ registries }: StoredRegistries, { org, name }: RegistryRef): Registry {
  const found = registries.find((registry) => registry.name === name);
  if (found) return found;
  throw notFound('registry', name, `org "${org}"`);
}

type NewRegistry = Pick<Registry, 'name' | 'host'> & { request: string };

/** Throws when a registry that another request connected has the name or the host. */
export function assertAddable({ registries }: StoredRegistries, { name, host, request }: NewRegistry): void {
  const others = registries.filter((registry) => registry.request !== request);
  if (others.some((registry) => registry.name === name))
    throw new ServiceError('already-exists', `The org already has a registry "${name}".`, {
      errors: [{ pointer: '/name', detail: 'is taken' }],
    });
  if (others.length >= registriesMax)
    throw invalid(`The org has ${registriesMax} registries, which is the maximum. Delete one first.`, [
      { pointer: '/name', detail: `would be more than ${registriesMax} registries` },
    ]);
  assertUniqueHost(others, { name, host });
}

/** Tools that build images know one account per host. */
export function assertUniqueHost(
  registries: readonly Registry[],
  { name, host }: Pick<Registry, 'name' | 'host'>,
): void {
  const other = registries.find(
    (registry) => registry.name !== name && toCanonicalHost(registry.host) === toCanonicalHost(host),
  );
  if (other)
    throw new ServiceError('already-exists', `The registry "${other.name}" already has the host ${host}.`, {
      errors: [{ pointer: '/host', detail: `is that of the registry "${other.name}"` }],
    });
}

const attemptsMax = 5;

/** Applies a change to the current registries of an org, again if another request has changed them meanwhile. */
export async function updateRegistries(
  store: Store,
  org: string,
  change: (stored: StoredRegistries) => Registry[],
): Promise<Secret> {
  return await applyObject(store, SecretKind, {
    ref: secretRef(org),
    build: (secret) => ({
      type: 'Opaque',
      data: toRegistriesData(change({ secret, registries: readRegistries(secret) })),
    }),
    attemptsMax,
  });
}

type Place = Pick<Registry, 'host' | 'repositoryPrefix'>;

/** Returns a function that says why a registry of the org cannot be deleted, or get other settings. */
export async function createUseJudge(
  { store, config }: Pick<ApiDeps, 'store' | 'config'>,
  org: string,
): Promise<(registry: Place & Pick<Registry, 'name'>, next?: Place) => string | undefined> {
  const { items } = await store.list(ProductKind, { namespace: orgNamespace(org) });
  const { registries } = await findRegistries(store, org);
  const toInstallationRepository = await readImageRepository(store, config.imageRepository);
  const products = items.flatMap((product) => {
    const { name } = product.metadata;
    const repositories = listImageRepositories(product, {
      registries,
      installation: toInstallationRepository(org, name),
    });
    return repositories.map((repository) => ({ product: name, repository }));
  });
  return (registry, next) => registryUseViolation(registry, products, next);
}
