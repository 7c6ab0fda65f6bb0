import { dockerConfigType, SecretKind, toSecretData } from '../../src/kinds/kubernetes.ts';
import { orgPushSecretName, pullSecretName, pushSecretName } from '../../src/rules/environments/registry-secrets.ts';
import type { RegistryCredentials } from '../../src/rules/registries/image-registry.ts';
import { mergeDockerConfig, replaceCredentials } from '../../src/rules/registries/merge-docker-config.ts';
import { holdsRepository } from '../../src/rules/registries/registry-address.ts';
import type { Registry } from '../../src/rules/registries/registry.ts';
import { apiGroup, orgNamespace } from '../../src/rules/resource.ts';
import { listRegistries } from '../../src/store/registries.ts';
import type { Store } from '../../src/store/store.ts';

/**
 * Gives the builds of an org that push to the registry of the installation its credentials, and those of the org's
 * registries, which may hold base images. Returns the Secret's name if there are any.
 */
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

/**
 * Gives the builds of an org that push to a registry of the org the credentials of its registries. From the registry of
 * the installation they only pull base images, unless the org has a registry on the same host: most builders know one
 * account per host, and the account that pulls cannot push.
 */
export async function saveOrgPushSecret(
  store: Store,
  org: string,
  { pull }: Pick<RegistryCredentials, 'pull'>,
): Promise<string> {
  const ref = { namespace: orgNamespace(org), name: orgPushSecretName };
  await saveRegistrySecret(store, ref, replaceCredentials(pull, await listRegistries(store, org)));
  return orgPushSecretName;
}

/** Returns the credentials of the installation, and those of the org's registries that hold the repositories, for the pods of a zone. */
export function toPullConfig(
  { pull }: Pick<RegistryCredentials, 'pull'>,
  { registries, repositories }: { registries: readonly Registry[]; repositories: readonly string[] },
): string {
  const needed = registries.filter((registry) =>
    repositories.some((repository) => holdsRepository(registry, repository)),
  );
  return mergeDockerConfig(pull, needed);
}

/** Gives the credentials to the pods of a zone. The chart of zones always names the Secret, so it exists even if it is empty. */
export const savePullSecret = async (
  store: Pick<Store, 'find' | 'put'>,
  zone: string,
  dockerConfig: string,
): Promise<void> => await saveRegistrySecret(store, { namespace: zone, name: pullSecretName }, dockerConfig);

const managedLabels = { 'app.kubernetes.io/managed-by': apiGroup };

/**
 * Writes the credentials to a Secret that builds or zones use. A Secret that an operator has created under the name stays
 * as it is, so that an org can have credentials of its own.
 */
export async function saveRegistrySecret(
  store: Pick<Store, 'find' | 'put'>,
  ref: { namespace: string; name: string },
  dockerConfig: string,
): Promise<void> {
  const existing = await store.find(SecretKind, ref);
  const isOurs = existing?.metadata.labels?.['app.kubernetes.io/managed-by'] === apiGroup;
  const data = toSecretData({ '.dockerconfigjson': dockerConfig });
  if (existing && (!isOurs || existing.data?.['.dockerconfigjson'] === data['.dockerconfigjson'])) return;
  await store.put(SecretKind, { metadata: { ...ref, labels: managedLabels }, type: dockerConfigType, data });
}
