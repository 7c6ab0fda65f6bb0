import { expect, it } from 'vitest';
import { isolateBuilds } from '../../../activities/releases/isolate-builds.ts';
import { loadConfig } from '../../../src/config.ts';
import { NetworkPolicyKind } from '../../../src/kinds/kubernetes.ts';
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
