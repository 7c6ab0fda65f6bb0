import type { Registry } from './registry.ts';

type CheckedRegistry = Pick<Registry, 'name' | 'username' | 'repositoryPrefix' | 'lastCheck'>;

/** Returns why builds cannot push to a registry, by its last check, and what to do. */
export function registryPushViolation(registry: CheckedRegistry): string | undefined {
  const { name, username, repositoryPrefix, lastCheck } = registry;
  if (repositoryPrefix === undefined)
    return `has no repository prefix, without which the service cannot check that builds may push: set one for the registry "${name}" in Settings, Registries`;
  if (lastCheck.access === 'pull-and-push') return undefined;
  return `lets the account "${username}" pull but not push below ${repositoryPrefix}: allow it to push there, and save the registry "${name}" again in Settings, Registries`;
}
