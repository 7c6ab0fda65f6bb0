import { ProductKind } from '../../src/rules/products/kinds.ts';
import { toOrgName } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

export type ZoneInCluster = { org: string; product: string; zone: string };

/** Lists the zones that run in workload clusters, by cluster. */
export async function listZonesByCluster(store: Store): Promise<ReadonlyMap<string, ZoneInCluster[]>> {
  const { items } = await store.list(ProductKind);
  const zones = items.flatMap(({ metadata, spec }) =>
    spec.delivery.zones.flatMap(({ name: zone, cluster }) =>
      cluster === undefined
        ? []
        : [{ cluster, zone: { org: toOrgName(metadata.namespace), product: metadata.name, zone } }],
    ),
  );
  const byCluster = Map.groupBy(zones, ({ cluster }) => cluster);
  return new Map([...byCluster].map(([cluster, all]) => [cluster, all.map(({ zone }) => zone)]));
}

const shownMax = 3;

/** Returns why a cluster cannot be removed. Platform admins have a role in every org, so they may see the zones. */
export function clusterUseViolation(name: string, zones: readonly ZoneInCluster[]): string | undefined {
  if (zones.length === 0) return undefined;
  const shown = zones.slice(0, shownMax).map(({ org, product, zone }) => `${zone} of ${org}/${product}`);
  const rest = zones.length > shownMax ? ` and ${zones.length - shownMax} more` : '';
  return `Zones run in the cluster "${name}": ${shown.join(', ')}${rest}. Remove them first.`;
}
