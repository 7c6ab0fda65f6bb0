import { ServiceError } from '../errors.ts';
import { namespaceTakenMessage } from '../rules/environments/zone-namespace.ts';
import type { ProductSpec } from '../rules/products/kinds.ts';
import type { Store } from '../store/store.ts';
import { getZoneNamespaceState } from '../store/zone-namespace.ts';

/**
 * Throws 409 when the cluster has a namespace with the name of a zone that is not the zone's own, because the service
 * would deploy to it, show its logs and delete it. Workload clusters cannot be read.
 */
export async function assertNamespacesFree(
  store: Store,
  { org, product }: { org: string; product: string },
  { delivery }: ProductSpec,
): Promise<void> {
  for (const [index, { name, cluster }] of delivery.zones.entries()) {
    if (cluster !== undefined || (await getZoneNamespaceState(store, { org, product, zone: name })) !== 'foreign')
      continue;
    const pointer = `/spec/delivery/zones/${index}/name`;
    throw new ServiceError('namespace-taken', namespaceTakenMessage(name), {
      errors: [{ pointer, detail: 'is a namespace of the cluster that does not belong to this zone' }],
    });
  }
}
