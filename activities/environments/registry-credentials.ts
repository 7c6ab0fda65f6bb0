import { dockerConfigType, SecretKind, toSecretData } from '../../src/kinds/kubernetes.ts';
import { apiGroup } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

/** The credentials of image registries, each as the text of a `config.json` of Docker. */
export type RegistryCredentials = { push: string | undefined; pull: string | undefined };

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
