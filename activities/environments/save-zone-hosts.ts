import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { applyObject } from '../../src/store/apply-object.ts';
import type { Store } from '../../src/store/store.ts';

/** The ConfigMap in a zone's namespace that the admission policy of the chart reads. A gitops repo can deploy none. */
const zoneHostsName = 'zone-hosts';

/** Saves the hosts that routes in the namespace of a zone may have: a gitops repo could name those of another org. */
export async function saveZoneHosts(store: Store, zone: string, hosts: readonly string[]): Promise<void> {
  const ref = { namespace: zone, name: zoneHostsName };
  await applyObject(store, ConfigMapKind, { ref, build: () => ({ data: { hosts: hosts.join(',') } }) });
}
