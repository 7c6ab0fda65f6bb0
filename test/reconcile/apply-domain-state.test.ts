import { expect, it } from 'vitest';
import { applyDomainState } from '../../src/reconcile/apply-domain-state.ts';
import { DomainKind, type DomainStatus } from '../../src/rules/domains/kinds.ts';
import { toZoneSettings } from '../../src/rules/environments/zone-values.ts';
import { ProductKind, type ZoneSpec } from '../../src/rules/products/kinds.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

const claimedAt = '2027-01-01T00:00:00Z';

/** Creates a Domain, and Products with a zone that serves its addresses. */
async function createHarness(owner: string, shared = false) {
  const { deps, store, calls } = await createReconcileDeps();
  const ref = { namespace: `org-${owner}`, name: 'shop.example' };
  await store.create(DomainKind, { metadata: ref, spec: { name: ref.name, kind: 'external', shared, token: 't' } });
  const createServed = async (org: string, name: string, domain = ref.name) => {
    const zone: ZoneSpec = { name: `${name}-rc`, promotionPolicy: 'automatic', addresses: [{ domain, name: 'www' }] };
    const metadata = { namespace: `org-${org}`, name };
    await store.create(ProductKind, { metadata, spec: { repos: [], delivery: { zones: [zone] } } });
    const address = deps.config.zoneAddress(zone.name);
    const appliedSettings = toZoneSettings(zone, { address, verifiedDomains: new Set([domain]) });
    await store.updateStatus(ProductKind, metadata, () => ({ zones: [{ name: zone.name, appliedSettings }] }));
  };
  return {
    createServed,
    applyState: async (state: DomainStatus['state']) => {
      await store.updateStatus(DomainKind, ref, () => ({ state, claimedAt }));
      await applyDomainState(deps, { org: owner, domain: ref.name });
      return calls.splice(0).map(({ workflowId, signal }) => `${signal} ${workflowId}`);
    },
  };
}

it('signals the zones whose hosts change, and no others', async () => {
  const { createServed, applyState } = await createHarness('acme');
  await createServed('acme', 'shop');
  await createServed('acme', 'bread', 'bread.example');
  await createServed('other', 'cake');
  expect(await applyState('Verified')).toEqual([]);
  expect(await applyState('Failed')).toEqual(['applySettings manage-zone/acme/shop/shop-rc']);
});

it('signals the zones of all orgs when the domain is shared', async () => {
  const { createServed, applyState } = await createHarness('platform', true);
  await createServed('acme', 'shop');
  await createServed('platform', 'status');
  expect((await applyState('Failed')).toSorted()).toEqual([
    'applySettings manage-zone/acme/shop/shop-rc',
    'applySettings manage-zone/platform/status/status-rc',
  ]);
});
