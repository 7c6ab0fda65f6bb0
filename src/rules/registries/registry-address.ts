import type { Registry } from './registry.ts';

const dockerHubHosts: readonly string[] = ['docker.io', 'index.docker.io', 'registry-1.docker.io'];
const dockerHub = 'docker.io';

/** Returns one name for all hosts of a registry. */
export const toCanonicalHost = (host: string): string =>
  dockerHubHosts.includes(host) ? dockerHub : host.replace(/:443$/, '');

/** Returns the host of the API, which is another one than in the names of images for Docker Hub. */
export const toApiHost = (host: string): string =>
  toCanonicalHost(host) === dockerHub ? 'registry-1.docker.io' : host;

/** Returns the key of a registry in a Docker `config.json`, which has a historical one for Docker Hub. */
export const toAuthKey = (host: string): string =>
  toCanonicalHost(host) === dockerHub ? 'https://index.docker.io/v1/' : toCanonicalHost(host);

type Place = Pick<Registry, 'host' | 'repositoryPrefix'>;

/** Whether a registry holds an image repository, which is named with its host. */
export function holdsRepository({ host, repositoryPrefix }: Place, repository: string): boolean {
  const [imageHost = '', ...path] = repository.split('/');
  if (toCanonicalHost(imageHost) !== toCanonicalHost(host)) return false;
  return repositoryPrefix === undefined || `${path.join('/')}/`.startsWith(`${repositoryPrefix}/`);
}
