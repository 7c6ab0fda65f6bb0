import { expect, it } from 'vitest';
import { buildAccount, isolateBuilds, orgBuildAccount } from '../../../activities/releases/isolate-builds.ts';
import { loadConfig } from '../../../src/config.ts';
import { NetworkPolicyKind, ServiceAccountKind } from '../../../src/kinds/kubernetes.ts';
import { buildNetworkPolicySpec } from '../../../src/rules/environments/network-policies.ts';
import { openTestStore } from '../../support/open-test-store.ts';

it('writes the policy of builds to the namespace of the org, and updates it when a setting changes', async () => {
  const store = openTestStore();
  const { network } = loadConfig({});
  for (const settings of [network, { ...network, buildAllowedCidrs: ['10.1.2.0/24'] }]) {
    await isolateBuilds(store, 'acme', settings);
    const { items } = await store.list(NetworkPolicyKind);
    expect(items.map(({ metadata, spec }) => [metadata.namespace, spec])).toEqual([
      ['org-acme', buildNetworkPolicySpec(settings)],
    ]);
  }
});

it.each([buildAccount, orgBuildAccount])(
  'gives builds an account whose pods get no token, and keeps the Secrets that the builder adds to it: %s',
  async (name) => {
    const store = openTestStore();
    const { network } = loadConfig({});
    await isolateBuilds(store, 'acme', network);
    const ref = { namespace: 'org-acme', name };
    const created = await store.get(ServiceAccountKind, ref);
    expect(created.automountServiceAccountToken).toBe(false);
    const secrets = [{ name: 'registry-push' }];
    await store.replace(ServiceAccountKind, { ...created, secrets, automountServiceAccountToken: true });
    await isolateBuilds(store, 'acme', network);
    const repaired = await store.get(ServiceAccountKind, ref);
    expect(repaired).toMatchObject({ secrets, automountServiceAccountToken: false });
    await isolateBuilds(store, 'acme', network);
    expect((await store.get(ServiceAccountKind, ref)).metadata.resourceVersion).toBe(repaired.metadata.resourceVersion);
  },
);
