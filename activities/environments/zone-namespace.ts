import { isServiceError, ServiceError } from '../../src/errors.ts';
import { type Namespace, NamespaceKind, NetworkPolicyKind } from '../../src/kinds/kubernetes.ts';
import { type NetworkSettings, zoneNetworkPolicies } from '../../src/rules/environments/network-policies.ts';
import type { ZoneAccess } from '../../src/rules/environments/settings.ts';
import {
  isNamespaceOfZone,
  namespaceTakenMessage,
  zoneNamespaceLabels,
  type ZoneOwner,
} from '../../src/rules/environments/zone-namespace.ts';
import { applyObject } from '../../src/store/apply-object.ts';
import type { Store } from '../../src/store/store.ts';
import { getOrCreate } from '../get-or-create.ts';

/** Creates the isolated namespace of a zone. A namespace that exists already is used only if it is the zone's own. */
export async function ensureZoneNamespace(
  store: Store,
  owner: ZoneOwner,
  { network, access }: { network: NetworkSettings; access: ZoneAccess },
): Promise<void> {
  await ensureOwnNamespace(store, owner);
  for (const [name, spec] of Object.entries(zoneNetworkPolicies(network, access)))
    await applyObject(store, NetworkPolicyKind, { ref: { namespace: owner.zone, name }, build: () => ({ spec }) });
}

/**
 * Creates the namespace of a zone in its cluster. Argo CD would need the permission for all namespaces of the cluster,
 * which every org with a zone there would then have.
 */
export async function ensureOwnNamespace(cluster: Pick<Store, 'create' | 'get'>, owner: ZoneOwner): Promise<void> {
  const namespace = await getOrCreate(cluster, NamespaceKind, {
    metadata: { namespace: '', name: owner.zone, labels: zoneNamespaceLabels(owner) },
  });
  if (!isNamespaceOfZone(namespace, owner))
    throw new ServiceError('namespace-taken', namespaceTakenMessage(owner.zone));
}

/** Deletes the namespace of a zone and returns it until it is gone. A namespace of another owner is left alone. */
export async function deleteZoneNamespace(store: Store, owner: ZoneOwner): Promise<Namespace | undefined> {
  const ref = { namespace: '', name: owner.zone };
  const namespace = await store.find(NamespaceKind, ref);
  if (!namespace || !isNamespaceOfZone(namespace, owner)) return undefined;
  if (namespace.metadata.deletionTimestamp) return namespace;
  const { resourceVersion } = namespace.metadata;
  try {
    // With the version, only the very namespace whose labels were read is deleted.
    await store.delete(NamespaceKind, ref, { resourceVersion });
  } catch (error) {
    if (!isServiceError(error, 'conflict') && !isServiceError(error, 'not-found')) throw error;
  }
  return namespace;
}
