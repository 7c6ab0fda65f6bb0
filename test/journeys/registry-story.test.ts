import { openTestStore } from '../support/open-test-store.ts';
import { tellRegistryStory } from '../support/registries/registry-story.ts';
import { itWithRegistry } from '../support/servers/registry.ts';
import { describeWithTemporal } from '../support/workflows/temporal-client.ts';

describeWithTemporal('a private repo and a private registry', () => {
  itWithRegistry('build, push and pull with credentials that are renewed, and that nothing shows', async () => {
    const store = openTestStore();
    await tellRegistryStory({
      stores: { api: store, worker: store },
      admin: store,
      org: 'acme',
      product: 'shop',
      zone: 'shop-rc',
    });
  });
});
