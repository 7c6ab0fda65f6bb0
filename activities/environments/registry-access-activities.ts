import { NamespaceKind, SecretKind } from '../../src/kinds/kubernetes.ts';
import { pushSecretName } from '../../src/rules/environments/registry-secrets.ts';
import { isNamespaceOfZone } from '../../src/rules/environments/zone-namespace.ts';
import { type Product, ProductKind } from '../../src/rules/products/kinds.ts';
import { isDeleting, orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { readPullConfig, type RegistryCredentials, savePullSecret, savePushSecret } from './registry-credentials.ts';

export type RegistryAccessDeps = { store: Store; registry: RegistryCredentials };

export function createRegistryAccessActivities({ store, registry }: RegistryAccessDeps) {
  /** The namespaces of workload clusters are not in this store, and one of another owner must get no credentials. */
  const hasNamespace = async (org: string, { metadata }: Product, zone: string): Promise<boolean> => {
    const namespace = await store.find(NamespaceKind, { namespace: '', name: zone });
    if (!namespace || isDeleting(namespace)) return false;
    return isNamespaceOfZone(namespace, { org, product: metadata.name, zone, uid: metadata.uid });
  };

  return {
    /** Replaces the credentials of registries that builds and zones of an org have; those of a deleted registry go. */
    refreshRegistryAccess: async ({ org }: { org: string }): Promise<void> => {
      const namespace = orgNamespace(org);
      // Builds get their Secret when they start; before the first one there is nothing to replace.
      if (await store.find(SecretKind, { namespace, name: pushSecretName })) await savePushSecret(store, org, registry);
      const { items: products } = await store.list(ProductKind, { namespace });
      const zones = products.flatMap((product) => [...listZoneNames(product)].map((zone) => ({ product, zone })));
      const dockerConfig = await readPullConfig(store, org, registry);
      const refreshZone = async (product: Product, zone: string): Promise<void> => {
        if (await hasNamespace(org, product, zone)) await savePullSecret(store, zone, dockerConfig);
      };
      const errors: unknown[] = [];
      for (const { product, zone } of zones)
        // A zone whose Secret cannot be written must not keep the others from theirs.
        await refreshZone(product, zone).catch((error: unknown) => errors.push(error));
      if (errors.length > 0) throw errors[0];
    },
  };
}

/** A zone that left the spec runs until it is removed. */
const listZoneNames = ({ spec, status }: Product): Set<string> =>
  new Set([...spec.delivery.zones, ...(status?.zones ?? [])].map(({ name }) => name));
