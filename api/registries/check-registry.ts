import type { Registry, RegistrySettings } from '../../src/rules/registries/registry.ts';
import type { ApiDeps } from '../deps.ts';

/** Asks the registry whether it accepts the settings, and returns them with what it allows. */
export async function checkRegistry(
  { registries, now }: Pick<ApiDeps, 'registries' | 'now'>,
  name: string,
  settings: RegistrySettings,
): Promise<Registry> {
  const access = await registries.check(settings);
  return { name, ...settings, lastCheck: { access, at: now().toISOString() } };
}
