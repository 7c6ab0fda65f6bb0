import { toAuthKey, toCanonicalHost } from './registry-address.ts';
import type { Registry } from './registry.ts';

type DockerConfig = { auths?: Record<string, object> };

/**
 * Adds the credentials of an org's registries to those of the installation, as the text of a Docker `config.json`. The
 * installation's credentials of a host stay, because the images of all orgs may be there; those of the org then apply
 * below its prefix, for tools that distinguish paths.
 */
export function mergeDockerConfig(installation: string | undefined, registries: readonly Registry[]): string {
  const base = installation === undefined ? {} : (JSON.parse(installation) as DockerConfig);
  const auths = new Map(Object.entries(base.auths ?? {}));
  const hosts = new Set([...auths.keys()].map(toHost));
  for (const { host, repositoryPrefix, username, password } of registries) {
    const entry = { auth: Buffer.from(`${username}:${password}`).toString('base64') };
    const name = toCanonicalHost(host);
    if (!hosts.has(name)) auths.set(toAuthKey(host), entry);
    // Docker Hub's key is a URL, which takes no path: tools that distinguish paths use its name.
    if (repositoryPrefix !== undefined) auths.set(`${name}/${repositoryPrefix}`, entry);
  }
  return JSON.stringify({ ...base, auths: Object.fromEntries(auths) });
}

/** A key is a host, a host with a path, or a URL in configurations of old tools. */
const toHost = (key: string): string => toCanonicalHost(/^https?:\/\/([^/]+)/.exec(key)?.[1] ?? key);

/** Adds credentials to those of a Docker `config.json`, and removes what it has for the same hosts. */
export function replaceCredentials(config: string | undefined, registries: readonly Registry[]): string {
  const base = config === undefined ? {} : (JSON.parse(config) as DockerConfig);
  const hosts = new Set(registries.map(({ host }) => toCanonicalHost(host)));
  const others = Object.entries(base.auths ?? {}).filter(([key]) => !hosts.has(toHost(key).split('/', 1)[0] ?? ''));
  return mergeDockerConfig(JSON.stringify({ ...base, auths: Object.fromEntries(others) }), registries);
}
