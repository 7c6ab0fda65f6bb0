import { defined } from '../../defined.ts';
import { readSecretText, type Secret, toSecretData } from '../../kinds/kubernetes.ts';
import { type Registry, RegistryCheck, RegistrySettings } from './registry.ts';

/** The Secret in the org's namespace that holds all of its registries. Workers may read it by this name alone. */
export const registriesSecretName = 'registries';

const fields = {
  host: 'host',
  repositoryPrefix: 'repository-prefix',
  username: 'username',
  password: 'password',
} as const;
const accessKey = 'access';
const checkedAtKey = 'checked-at';
const requestKey = 'request';

/** Each field has an entry of its own, so that the audit log shows which of them changed. */
export function toRegistriesData(registries: readonly Registry[]): Record<string, string> {
  const texts = registries.flatMap((registry) =>
    [
      ...Object.entries(fields).map(([field, key]) => [key, registry[field as keyof typeof fields]] as const),
      [accessKey, registry.lastCheck.access] as const,
      [checkedAtKey, registry.lastCheck.at] as const,
      [requestKey, registry.request] as const,
    ].flatMap(([key, text]) => (text === undefined ? [] : [[`${registry.name}.${key}`, text] as const])),
  );
  return toSecretData(Object.fromEntries(texts));
}

/** Reads the registries, sorted by name, without those that a person has written incompletely with kubectl. */
export function readRegistries(secret: Pick<Secret, 'data'> | undefined): Registry[] {
  const names = Object.keys(secret?.data ?? {}).flatMap((key) => /^(.+)\.host$/.exec(key)?.[1] ?? []);
  return names.toSorted().flatMap((name) => {
    const read = (key: string): string | undefined => readSecretText(secret, `${name}.${key}`);
    const settings = RegistrySettings.safeParse(
      Object.fromEntries(Object.entries(fields).map(([field, key]) => [field, read(key)])),
    );
    const lastCheck = RegistryCheck.safeParse({ access: read(accessKey), at: read(checkedAtKey) });
    if (!settings.success || !lastCheck.success) return [];
    return [{ name, ...settings.data, lastCheck: lastCheck.data, ...defined({ request: read(requestKey) }) }];
  });
}
