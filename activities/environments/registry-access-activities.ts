import { NamespaceKind, SecretKind } from '../../src/kinds/kubernetes.ts';
import { orgPushSecretName, pushSecretName } from '../../src/rules/environments/registry-secrets.ts';
import { isNamespaceOfZone } from '../../src/rules/environments/zone-namespace.ts';
import { type Product, ProductKind } from '../../src/rules/products/kinds.ts';
import type { InstallationImages } from '../../src/rules/registries/image-registry.ts';
import { isDeleting, orgNamespace } from '../../src/rules/resource.ts';
import { readInstallationImages } from '../../src/store/image-registry.ts';
import { listRegistries } from '../../src/store/registries.ts';
import type { Store } from '../../src/store/store.ts';
import { saveOrgPushSecret, savePullSecret, savePushSecret, toPullConfig } from './registry-credentials.ts';
import { listZoneRepositories } from './zone-repositories.ts';

export type RegistryAccessDeps = InstallationImages & { store: Store };

export function createRegistryAccessActivities(deps: RegistryAccessDeps) {
  const { store } = deps;
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
      const { registry, imageRepository } = await readInstallationImages(store, deps);
      // Builds get their Secrets when they start; before the first one there is nothing to replace.
      if (await store.find(SecretKind, { namespace, name: pushSecretName })) await savePushSecret(store, org, registry);
      if (await store.find(SecretKind, { namespace, name: orgPushSecretName }))
        await saveOrgPushSecret(store, org, registry);
      const registries = await listRegistries(store, org);
      const { items: products } = await store.list(ProductKind, { namespace });
      const zones = products.flatMap((product) => [...listZoneNames(product)].map((zone) => ({ product, zone })));
      const refreshZone = async (product: Product, zone: string): Promise<void> => {
        if (!(await hasNamespace(org, product, zone))) return;
        const installation = imageRepository(org, product.metadata.name);
        const repositories = await listZoneRepositories(store, product, { zone, installation });
        await savePullSecret(store, zone, toPullConfig(registry, { registries, repositories }));
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
