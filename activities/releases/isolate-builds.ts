import { NetworkPolicyKind, ServiceAccountKind } from '../../src/kinds/kubernetes.ts';
import { buildNetworkPolicySpec, type NetworkSettings } from '../../src/rules/environments/network-policies.ts';
import { orgPushSecretName } from '../../src/rules/environments/registry-secrets.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { applyObject } from '../../src/store/apply-object.ts';
import type { Store } from '../../src/store/store.ts';

/** The service account of the builds of an org that push to the registry of the installation. The chart contains its name. */
export const buildAccount = 'builds';
/** The account of builds that push to a registry of the org. The chart contains its name, too. */
export const orgBuildAccount = 'builds-org';

/**
 * Returns the account of a build. The builder adds the push Secret to the account for good, and every later build of the
 * account gets all of its Secrets. With one account, builds would push with the credentials of another destination.
 */
export const toBuildAccount = (pushSecret: string | undefined): string =>
  pushSecret === orgPushSecretName ? orgBuildAccount : buildAccount;

/**
 * Limits the network of all pods in the namespace of an org, which are those of its builds, and creates the accounts
 * without a token that they run under.
 */
export async function isolateBuilds(store: Store, org: string, network: NetworkSettings): Promise<void> {
  const namespace = orgNamespace(org);
  await applyObject(store, NetworkPolicyKind, {
    ref: { namespace, name: 'builds' },
    build: () => ({ spec: buildNetworkPolicySpec(network) }),
  });
  for (const name of [buildAccount, orgBuildAccount])
    await applyObject(store, ServiceAccountKind, {
      ref: { namespace, name },
      build: () => ({ automountServiceAccountToken: false }),
    });
}
