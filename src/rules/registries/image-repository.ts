import type { Product } from '../products/kinds.ts';
import { toCanonicalHost } from './registry-address.ts';
import type { Registry } from './registry.ts';

/** Returns the image repository of a Product in a registry of its org. */
export const toImageRepository = (
  { host, repositoryPrefix }: Pick<Registry, 'host' | 'repositoryPrefix'>,
  product: string,
): string => [toCanonicalHost(host), repositoryPrefix, product].filter((part) => part !== undefined).join('/');

type Scope = { registries: readonly Registry[]; installation: string };

/** Lists the image repositories from which a Product’s zones pull or that its next build pushes to. */
export function listImageRepositories(
  { metadata, spec, status }: Product,
  { registries, installation }: Scope,
): string[] {
  const named = registries.find(({ name }) => name === spec.delivery.registry);
  const destination = named ? toImageRepository(named, metadata.name) : installation;
  return [...new Set([destination, ...listRunningRepositories(status, installation)])];
}

/** Lists the image repositories from which a Product’s zones pull. */
export const listRunningRepositories = (status: Product['status'], installation: string): string[] =>
  (status?.zones ?? [])
    .filter(({ release }) => release !== undefined)
    .map(({ imageRepository = installation }) => imageRepository);
