import { SecretKind } from '../kinds/kubernetes.ts';
import {
  applyImageRegistry,
  imageRegistryRef,
  type InstallationImages,
  readImageRegistry,
  toImageRepositories,
} from '../rules/registries/image-registry.ts';
import type { Store } from './store.ts';

/** Every use reads the registry, which a platform admin can change. Without one, that of the environment applies. */
export async function readInstallationImages(
  store: Pick<Store, 'find'>,
  first: InstallationImages,
): Promise<InstallationImages> {
  const settings = readImageRegistry(await store.find(SecretKind, imageRegistryRef));
  return settings ? applyImageRegistry(first, settings) : first;
}

/** Returns the function that returns the image repository of a Product. */
export async function readImageRepository(
  store: Pick<Store, 'find'>,
  first: InstallationImages['imageRepository'],
): Promise<InstallationImages['imageRepository']> {
  const settings = readImageRegistry(await store.find(SecretKind, imageRegistryRef));
  return settings ? toImageRepositories(settings) : first;
}
