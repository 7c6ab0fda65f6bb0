import type { Secret } from '../../kinds/kubernetes.ts';
import { systemNamespace } from '../resource.ts';
import { toImageRepository } from './image-repository.ts';
import { mergeDockerConfig, replaceCredentials } from './merge-docker-config.ts';
import { readRegistries, toRegistriesData } from './registries-secret.ts';
import type { Registry } from './registry.ts';

/** The Secret of the registry that platform admins set. Workers may read it by this name. */
export const imageRegistryRef = { namespace: systemNamespace, name: 'image-registry' };

/** The registry of the installation: one account with which builds push, and one with which zones pull. */
export type ImageRegistry = {
  push: Registry;
  pull: Registry;
  /** Pull accounts of earlier registries whose images zones still run. */
  previous: Registry[];
};

/** The credentials of image registries, each as the text of a Docker `config.json`. */
export type RegistryCredentials = { push: string | undefined; pull: string | undefined };

/** The place of the images of Products that name no registry of their org, and the credentials for it. */
export type InstallationImages = {
  imageRepository: (org: string, product: string) => string;
  registry: RegistryCredentials;
};

export const toImageRegistryData = ({ push, pull, previous }: ImageRegistry): Record<string, string> =>
  toRegistriesData([
    { ...push, name: 'push' },
    { ...pull, name: 'pull' },
    ...previous.map((registry, index) => ({ ...registry, name: `previous-${index + 1}` })),
  ]);

/** Returns undefined while the Secret is missing, or incomplete because a person wrote it with kubectl. */
export function readImageRegistry(secret: Pick<Secret, 'data'> | undefined): ImageRegistry | undefined {
  const registries = readRegistries(secret);
  const push = registries.find(({ name }) => name === 'push');
  const pull = registries.find(({ name }) => name === 'pull');
  return push && pull && { push, pull, previous: registries.filter(({ name }) => name.startsWith('previous-')) };
}

/** Returns the repositories of Products. Each org has a path of its own, so that no name of a Product leads to another org. */
export const toImageRepositories =
  ({ push: { host, repositoryPrefix } }: ImageRegistry): InstallationImages['imageRepository'] =>
  (org, product) =>
    toImageRepository({ host, repositoryPrefix: [repositoryPrefix, org].filter(Boolean).join('/') }, product);

/**
 * The settings replace the repository of the environment. Zones keep its credentials, for the images that they run from
 * there, which may be below another path of the same host; builds know one account per host.
 */
export function applyImageRegistry(first: InstallationImages, settings: ImageRegistry): InstallationImages {
  const { push, pull, previous } = settings;
  return {
    imageRepository: toImageRepositories(settings),
    registry: {
      push: replaceCredentials(first.registry.push, [push]),
      pull: mergeDockerConfig(first.registry.pull, [...previous, pull]),
    },
  };
}
