import { NamespaceKind } from '../kinds/kubernetes.ts';
import { isNamespaceOfZone } from '../rules/environments/zone-namespace.ts';
import { ProductKind } from '../rules/products/kinds.ts';
import { orgNamespace } from '../rules/resource.ts';
import type { Store } from './store.ts';

export type ZoneNamespaceState = 'own' | 'missing' | 'foreign';

/** Tells whether the namespace with the name of a zone is the zone's own. Objects of any other namespace must stay untouched. */
export async function getZoneNamespaceState(
  store: Store,
  { org, product: name, zone }: { org: string; product: string; zone: string },
  /** The reads of the cluster that the zone runs in. */
  cluster: Pick<Store, 'find'> = store,
): Promise<ZoneNamespaceState> {
  const namespace = await cluster.find(NamespaceKind, { namespace: '', name: zone });
  if (!namespace) return 'missing';
  const product = await store.find(ProductKind, { namespace: orgNamespace(org), name });
  const isOwn = product && isNamespaceOfZone(namespace, { org, product: name, zone, uid: product.metadata.uid });
  return isOwn ? 'own' : 'foreign';
}
