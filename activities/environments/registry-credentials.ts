import { dockerConfigType, SecretKind, toSecretData } from '../../src/kinds/kubernetes.ts';
import { pullSecretName, pushSecretName } from '../../src/rules/environments/registry-secrets.ts';
import { mergeDockerConfig } from '../../src/rules/registries/docker-config.ts';
import { readRegistries, registriesSecretName } from '../../src/rules/registries/registries-secret.ts';
import type { Registry } from '../../src/rules/registries/registry.ts';
import { apiGroup, orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

/** The credentials of image registries, each as the text of a `config.json` of Docker. */
export type RegistryCredentials = { push: string | undefined; pull: string | undefined };

/** Reads the registries that an org has connected. */
export const listRegistries = async (store: Store, org: string): Promise<Registry[]> =>
  readRegistries(await store.find(SecretKind, { namespace: orgNamespace(org), name: registriesSecretName }));

/** Gives the builds of an org the credentials of its registries, and those of the installation. Returns the Secret's name if there are any. */
export async function savePushSecret(
  store: Store,
  org: string,
  { push }: Pick<RegistryCredentials, 'push'>,
): Promise<string | undefined> {
  const ref = { namespace: orgNamespace(org), name: pushSecretName };
  const registries = await listRegistries(store, org);
  if (push !== undefined || registries.length > 0 || (await store.find(SecretKind, ref)))
    await saveRegistrySecret(store, ref, mergeDockerConfig(push, registries));
  else return undefined;
  return pushSecretName;
}

/** Returns the credentials of an org's registries, and those of the installation, for the pods of its zones. */
export const readPullConfig = async (
  store: Store,
  org: string,
  { pull }: Pick<RegistryCredentials, 'pull'>,
): Promise<string> => mergeDockerConfig(pull, await listRegistries(store, org));

/** Gives the credentials to the pods of a zone. The chart of zones always names the Secret, so it exists even if it is empty. */
export const savePullSecret = async (store: Store, zone: string, dockerConfig: string): Promise<void> =>
  await saveRegistrySecret(store, { namespace: zone, name: pullSecretName }, dockerConfig);

const managedLabels = { 'app.kubernetes.io/managed-by': apiGroup };

/**
 * Writes the credentials to a Secret that builds or zones use. A Secret that an operator has created under the name stays
 * as it is, so that an org can have credentials of its own.
 */
export async function saveRegistrySecret(
  store: Store,
  ref: { namespace: string; name: string },
  dockerConfig: string,
): Promise<void> {
  const existing = await store.find(SecretKind, ref);
  const isOurs = existing?.metadata.labels?.['app.kubernetes.io/managed-by'] === apiGroup;
  const data = toSecretData({ '.dockerconfigjson': dockerConfig });
  if (existing && (!isOurs || existing.data?.['.dockerconfigjson'] === data['.dockerconfigjson'])) return;
  await store.put(SecretKind, { metadata: { ...ref, labels: managedLabels }, type: dockerConfigType, data });
}
