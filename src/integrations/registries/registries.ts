import type { RegistryAccess, RegistrySettings } from '../../rules/registries/registry.ts';

/** Registries of container images, which tenants name. */
export type Registries = {
  /**
   * Signs in with the credentials, and tries what they may do below the prefix. Throws an error that names the wrong
   * setting, never with text of the registry.
   */
  check(settings: RegistrySettings): Promise<RegistryAccess>;
};
