import { expect, it } from 'vitest';
import { saveZoneHosts } from '../../../activities/environments/save-zone-hosts.ts';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { openTestStore } from '../../support/open-test-store.ts';

it('replaces the hosts of a zone', async () => {
  const store = openTestStore();
  for (const hosts of [['shop.apps.test'], ['shop.apps.test', 'shop.example.com'], []]) {
    await saveZoneHosts(store, 'shop-rc', hosts);
    const { data } = await store.get(ConfigMapKind, { namespace: 'shop-rc', name: 'zone-hosts' });
    expect(data).toEqual({ hosts: hosts.join(',') });
  }
});
