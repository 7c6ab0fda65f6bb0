import { NetworkPolicyKind, ServiceAccountKind } from '../../src/kinds/kubernetes.ts';
import { buildNetworkPolicySpec, type NetworkSettings } from '../../src/rules/environments/network-policies.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { applyObject } from '../../src/store/apply-object.ts';
import type { Store } from '../../src/store/store.ts';

/** The service account of all builds of an org. The roles of the chart contain its name. */
export const buildAccount = 'builds';

/**
 * Limits the network of all pods in the namespace of an org, which are those of its builds, and creates the account
 * without a token that they run under.
 */
export async function isolateBuilds(store: Store, org: string, network: NetworkSettings): Promise<void> {
  const namespace = orgNamespace(org);
  await applyObject(store, NetworkPolicyKind, {
    ref: { namespace, name: 'builds' },
    build: () => ({ spec: buildNetworkPolicySpec(network) }),
  });
  await applyObject(store, ServiceAccountKind, {
    ref: { namespace, name: buildAccount },
    build: () => ({ automountServiceAccountToken: false }),
  });
}
