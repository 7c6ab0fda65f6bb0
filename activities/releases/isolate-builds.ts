import { NetworkPolicyKind } from '../../src/kinds/kubernetes.ts';
import { buildNetworkPolicySpec, type NetworkSettings } from '../../src/rules/environments/network-policies.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { applyObject } from '../../src/store/apply-object.ts';
import type { Store } from '../../src/store/store.ts';

/** Limits the network of all pods in the namespace of an org, which are those of its builds. */
export async function isolateBuilds(store: Store, org: string, network: NetworkSettings): Promise<void> {
  await applyObject(store, NetworkPolicyKind, {
    ref: { namespace: orgNamespace(org), name: 'builds' },
    build: () => ({ spec: buildNetworkPolicySpec(network) }),
  });
}
