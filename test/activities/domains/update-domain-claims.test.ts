import { expect, it, vi } from 'vitest';
import {
  deleteOrgClaims,
  domainTakenError,
  updateDomainClaims,
} from '../../../activities/domains/update-domain-claims.ts';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { addClaim, type Claims, releaseClaim } from '../../../src/rules/domains/domain-claims.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const at = new Date('2026-01-01T00:00:00Z');
const shop = { host: 'shop.example', org: 'acme' };
const www = { host: 'www.shop.example', org: 'acme' };
const rival = { host: 'shop.example', org: 'other' };

function createHarness() {
  const store = openTestStore();
  const update = async <Outcome extends ReturnType<typeof addClaim>>(change: (claims: Claims) => Outcome) =>
    await updateDomainClaims(store, 'shop.example', change);
  const claim = async (claimant: typeof shop) => await update((claims) => addClaim(claims, { ...claimant, at }));
  const release = async (claimant: typeof shop) =>
    await update((claims) => ({ claims: releaseClaim(claims, claimant) }));
  const readClaims = async () => {
    const { items } = await store.list(ConfigMapKind, { namespace: 'service-system' });
    return items.map(({ metadata, data }) => [
      metadata.name,
      ...(JSON.parse(data?.['claims'] ?? '') as Claims).map(({ host, org }) => `${org} ${host}`),
    ]);
  };
  return { store, update, claim, release, readClaims };
}

it('keeps all claims under a registrable domain in one object, and deletes it with the last one', async () => {
  const { claim, release, readClaims } = createHarness();
  for (const claimant of [shop, www, shop]) await claim(claimant);
  const name = 'domain-claims-shop.example';
  expect(await readClaims()).toEqual([[name, 'acme shop.example', 'acme www.shop.example']]);
  await release(shop);
  expect(await readClaims()).toEqual([[name, 'acme www.shop.example']]);
  for (let time = 0; time < 2; time += 1) await release(www);
  expect(await readClaims()).toEqual([]);
});

it('writes nothing when the change conflicts', async () => {
  const { store, claim, readClaims } = createHarness();
  await claim(shop);
  const [before] = (await store.list(ConfigMapKind)).items;
  expect(await claim(rival)).toMatchObject({ conflict: { org: 'acme' } });
  expect((await store.list(ConfigMapKind)).items).toEqual([before]);
  expect(await readClaims()).toHaveLength(1);
});

it('decides again on the current claims when two orgs claim a name at the same time', async () => {
  const { claim, readClaims } = createHarness();
  const outcomes = await Promise.all([claim(shop), claim(rival)]);
  expect(outcomes.filter((outcome) => 'conflict' in outcome)).toHaveLength(1);
  expect(await readClaims()).toHaveLength(1);
});

it('keeps a claim that is made while the last one is released', async () => {
  const { store, claim, release, readClaims } = createHarness();
  await claim(www);
  const remove = store.delete;
  vi.spyOn(store, 'delete').mockImplementationOnce(async (kind, ref, options) => {
    await claim(shop);
    await remove(kind, ref, options);
  });
  await release(www);
  expect(await readClaims()).toEqual([['domain-claims-shop.example', 'acme shop.example']]);
});

it('gives up after twenty writes of others, and at once after another error', async () => {
  const { store, claim, readClaims } = createHarness();
  const { replace } = store;
  let writes = 0;
  const raced = vi.spyOn(store, 'replace').mockImplementation(async (kind, object) => {
    writes += 1;
    const current = await store.get(kind, object.metadata);
    await replace(kind, { ...current, metadata: { ...current.metadata, annotations: { writes: String(writes) } } });
    return await replace(kind, object);
  });
  await expect(claim(shop)).rejects.toMatchObject({ code: 'conflict' });
  expect(writes).toBe(20);
  raced.mockRejectedValueOnce(new Error('The store is away.'));
  await expect(claim(shop)).rejects.toThrow('The store is away.');
  expect(await readClaims()).toEqual([['domain-claims-shop.example']]);
});

it.each([
  [false, 'shop.example', /^The domain "shop.example" is claimed by another org .* expires 7 days after/],
  [true, 'shop.example', /^The domain "shop.example" is claimed by another org .* Ask a platform admin\.$/],
  [false, 'www.shop.example', /^The domain "www.shop.example" overlaps with "shop.example", which another org/],
])(
  'refuses a name that another org holds without naming the org (verified: %s, wanted: %s)',
  (verified, wanted, text) => {
    const error = domainTakenError({ ...rival, org: 'secret-org', claimedAt: at.toISOString(), verified }, wanted);
    expect(error).toMatchObject({ reason: 'domain-taken', message: expect.stringMatching(text) });
    expect(error.message).not.toContain('secret-org');
  },
);

it('ends all claims of an org, and writes nothing else', async () => {
  const { store, claim, readClaims } = createHarness();
  const metadata = { namespace: 'service-system', name: 'product-shop' };
  await store.create(ConfigMapKind, { metadata, data: { claims: JSON.stringify([{ host: 'a', org: 'acme' }]) } });
  const other = { namespace: 'service-system', name: 'settings' };
  await store.create(ConfigMapKind, { metadata: other, data: { claims: 'none' } });
  await claim(shop);
  await updateDomainClaims(store, 'bread.example', (claims) =>
    addClaim(claims, { host: 'bread.example', org: 'other', at }),
  );
  await updateDomainClaims(store, 'mixed.example', () => ({
    claims: [
      { host: 'a.mixed.example', org: 'acme', claimedAt: at.toISOString(), verified: false },
      { host: 'b.mixed.example', org: 'other', claimedAt: at.toISOString(), verified: false },
    ],
  }));
  const before = (await store.list(ConfigMapKind)).items.map(({ metadata: { name, resourceVersion } }) => [
    name,
    resourceVersion,
  ]);
  await deleteOrgClaims(store, 'acme');
  await store.delete(ConfigMapKind, other);
  expect(await readClaims()).toEqual([
    ['domain-claims-bread.example', 'other bread.example'],
    ['domain-claims-mixed.example', 'other b.mixed.example'],
    ['product-shop', 'acme a'],
  ]);
  const after = (await store.list(ConfigMapKind)).items.map(({ metadata: { name, resourceVersion } }) => [
    name,
    resourceVersion,
  ]);
  const unchanged = before.filter(([name]) => name === 'product-shop' || name === 'domain-claims-bread.example');
  expect(after).toEqual(expect.arrayContaining(unchanged));
});
