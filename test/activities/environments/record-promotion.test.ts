import { expect, it } from 'vitest';
import { type PromotionAttempt, recordPromotionStatus } from '../../../activities/environments/record-promotion.ts';
import { type ZoneStatus, ProductKind } from '../../../src/rules/products/kinds.ts';
import { PromotionKind } from '../../../src/rules/promotions/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import type { ZonePatch } from '../../../src/rules/releases/release-status.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const namespace = 'org-acme';
const ref = { org: 'acme', product: 'shop', zone: 'shop-prod' };
const address = 'https://shop-prod.test';
const at = '2026-01-01T00:00:00Z';
const later = '2026-01-02T00:00:00Z';
const failure = { resource: 'zone', reason: 'zone-unhealthy' as const, message: 'It crashes.', fix: 'Fix it.', at };
const other: ZoneStatus = { name: 'shop-rc', release: 'shop-v0.2.0', version: 'v0.2.0' };
const screenshot = { artifact: 'a', name: 'screenshot.png', type: 'image/png', sizeBytes: 1, at };
const running = (version: string): ZoneStatus => ({
  name: ref.zone,
  address,
  release: `shop-${version}`,
  version,
  commit: `commit of ${version}`,
  digest: `digest of ${version}`,
});

/** Stores the Releases v0.1.0 and v0.2.0, and a Product whose zone has this status. */
async function createHarness(before?: Partial<ZoneStatus>, zones = [ref.zone]) {
  const store = openTestStore();
  await store.create(ProductKind, {
    metadata: { namespace, name: ref.product },
    spec: {
      repos: ['acme/shop'],
      delivery: { zones: zones.map((name) => ({ name, promotionPolicy: 'automatic' as const })) },
    },
  });
  await store.updateStatus(ProductKind, { namespace, name: ref.product }, () => ({
    zones: [other, ...(before ? [{ ...before, name: ref.zone }] : [])],
  }));
  for (const version of ['v0.1.0', 'v0.2.0']) {
    const name = `shop-${version}`;
    await store.create(ReleaseKind, {
      metadata: { namespace, name },
      spec: { product: 'shop', repo: 'acme/shop', commit: `commit of ${version}`, version, startedBy: 'ada' },
    });
    await store.updateStatus(ReleaseKind, { namespace, name }, () => ({
      phase: 'Promoting' as const,
      digest: `digest of ${version}`,
      zones: [],
    }));
  }
  const record = async (
    version: string,
    patch: ZonePatch,
    attempt: PromotionAttempt = { id: 'first' },
    digest = `digest of ${version}`,
  ) => {
    const recorded = { ...ref, release: `shop-${version}`, digest, attempt, patch };
    await recordPromotionStatus(store, recorded, { address, at: later });
  };
  const listPromotions = async () => (await store.list(PromotionKind, { namespace })).items;
  const readZones = async () => (await store.get(ProductKind, { namespace, name: ref.product })).status?.zones;
  const readZone = async () => (await readZones())?.find(({ name }) => name === ref.zone);
  const readRelease = async (version: string) =>
    (await store.get(ReleaseKind, { namespace, name: `shop-${version}` })).status?.zones;
  return { store, record, listPromotions, readZones, readZone, readRelease };
}

it('shows a promotion in progress, and keeps what runs until the new version is healthy', async () => {
  const { record, readZones, readRelease } = await createHarness({ ...running('v0.1.0'), failure });
  for (let time = 0; time < 2; time += 1) await record('v0.2.0', { phase: 'Deploying' });
  const currentPromotion = { release: 'shop-v0.2.0', version: 'v0.2.0', phase: 'Deploying' };
  expect(await readZones()).toEqual([other, { ...running('v0.1.0'), currentPromotion }]);
  const promotion = 'shop-v0.2.0-shop-prod-first';
  expect(await readRelease('v0.2.0')).toEqual([{ name: ref.zone, address, promotion, phase: 'Deploying' }]);
});

it('replaces what runs with a version that is healthy, without the proofs of the one before', async () => {
  const { record, readZone } = await createHarness({ ...running('v0.1.0'), healthyAt: at, verifiedAt: at, screenshot });
  await record('v0.2.0', { phase: 'Healthy', healthyAt: later });
  const currentPromotion = { release: 'shop-v0.2.0', version: 'v0.2.0', phase: 'Healthy' };
  expect(await readZone()).toEqual({ ...running('v0.2.0'), healthyAt: later, currentPromotion });
  await record('v0.2.0', { phase: 'Verified', verifiedAt: later });
  expect(await readZone()).toEqual({ ...running('v0.2.0'), healthyAt: later, verifiedAt: later });
});

it('drops the proofs of a version that is deployed with another image', async () => {
  const before = { ...running('v0.1.0'), verifiedAt: at, screenshot };
  const { record, readZone } = await createHarness(before);
  for (let time = 0; time < 2; time += 1)
    await record('v0.1.0', { phase: 'Healthy', healthyAt: later }, { id: 'second' }, 'rebuilt');
  const currentPromotion = { release: 'shop-v0.1.0', version: 'v0.1.0', phase: 'Healthy' };
  expect(await readZone()).toEqual({ ...running('v0.1.0'), digest: 'rebuilt', healthyAt: later, currentPromotion });
});

it('keeps the proofs of a version that is deployed again', async () => {
  const before = { ...running('v0.1.0'), verifiedAt: at, screenshot };
  const { record, readZone } = await createHarness(before);
  await record('v0.1.0', { phase: 'Healthy', healthyAt: later });
  expect(await readZone()).toMatchObject({ verifiedAt: at, screenshot, healthyAt: later });
});

it('shows why a promotion has failed, until another one starts or is verified', async () => {
  const { record, readZone } = await createHarness(running('v0.1.0'));
  await record('v0.2.0', { phase: 'Promoting' });
  await record('v0.2.0', { phase: 'Failed', failure });
  expect(await readZone()).toEqual({ ...running('v0.1.0'), failure });
  await record('v0.2.0', { phase: 'Cancelled' });
  expect(await readZone()).toEqual({ ...running('v0.1.0'), failure });
  await record('v0.1.0', { phase: 'Verified' });
  expect(await readZone()).toEqual(running('v0.1.0'));
});

it('does not take the times of a Release that no longer runs', async () => {
  const before = { ...running('v0.2.0'), healthyAt: later };
  const { record, readZone, readRelease } = await createHarness(before);
  await record('v0.1.0', { phase: 'Superseded', healthyAt: at, verifiedAt: at });
  expect(await readZone()).toEqual(before);
  expect(await readRelease('v0.1.0')).toMatchObject([{ phase: 'Superseded', verifiedAt: at }]);
});

it('keeps the promotion of another Release in progress', async () => {
  const currentPromotion = { release: 'shop-v0.2.0', version: 'v0.2.0', phase: 'Deploying' };
  const { record, readZone } = await createHarness({ ...running('v0.1.0'), currentPromotion });
  await record('v0.1.0', { phase: 'Cancelled' });
  expect(await readZone()).toMatchObject({ currentPromotion });
});

it('records nothing in the Product about a zone that was removed', async () => {
  const { record, readZones, readRelease } = await createHarness(undefined, []);
  await record('v0.2.0', { phase: 'Failed', failure });
  expect(await readZones()).toEqual([other]);
  expect(await readRelease('v0.2.0')).toMatchObject([{ phase: 'Failed' }]);
});

it('ends the promotion of a Release that was deleted, and records nothing of a Product that was', async () => {
  const before = { ...running('v0.1.0'), settings: { generation: 1, phase: 'Applied' as const, at } };
  const { store, record, listPromotions, readZones } = await createHarness(before);
  await record('v0.2.0', { phase: 'Promoting' });
  expect(await readZones()).toMatchObject([other, { currentPromotion: { release: 'shop-v0.2.0' } }]);
  await store.delete(ReleaseKind, { namespace, name: 'shop-v0.2.0' });
  for (const phase of ['Promoting', 'Failed'] as const) await record('v0.2.0', { phase });
  expect(await readZones()).toEqual([other, before]);
  expect(await listPromotions()).toEqual([]);
  await store.delete(ProductKind, { namespace, name: ref.product });
  await record('v0.2.0', { phase: 'Cancelled' });
});

it('keeps every attempt, with who asked for it and how it ended', async () => {
  const { record, listPromotions, readRelease } = await createHarness();
  const decision = { by: 'bob', role: 'member', outcome: 'approved' as const, at };
  await record('v0.1.0', { phase: 'WaitingForApproval' });
  await record('v0.1.0', { phase: 'Promoting', decision });
  await record('v0.1.0', { phase: 'Failed', failure, gitopsCommit: 'g1' });
  const cause = { trigger: 'manual', by: 'eve' } as const;
  for (const phase of ['Pending', 'Promoting', 'Verified'] as const)
    await record('v0.1.0', { phase }, { id: 'second', cause });
  await record('v0.2.0', { phase: 'Superseded' });

  const promotions = await listPromotions();
  expect(promotions.map(({ spec, status }) => [spec.version, spec.trigger, spec.startedBy, status?.phase])).toEqual([
    ['v0.1.0', 'release', 'ada', 'Failed'],
    ['v0.1.0', 'manual', 'eve', 'Verified'],
    ['v0.2.0', 'release', 'ada', 'Superseded'],
  ]);
  expect(promotions[0]).toMatchObject({
    metadata: { ownerReferences: [{ kind: 'Release', name: 'shop-v0.1.0' }] },
    spec: { product: 'shop', zone: ref.zone, release: 'shop-v0.1.0', commit: 'commit of v0.1.0' },
    status: { decision, failure, gitopsCommit: 'g1', finishedAt: later },
  });
  // The Release shows the latest attempt, without the failure and the decision of the one before.
  const promotion = 'shop-v0.1.0-shop-prod-second';
  expect(await readRelease('v0.1.0')).toEqual([{ name: ref.zone, address, promotion, phase: 'Verified' }]);
});

it.each([['another image'], [undefined]])(
  'shows in the zone, but not on the Release, how an earlier attempt ends: the Release has the image %s',
  async (digest) => {
    const { store, record, readZone, readRelease, listPromotions } = await createHarness();
    await record('v0.1.0', { phase: 'Deploying' });
    const restarted = [{ name: ref.zone, phase: 'Pending' as const }];
    await store.updateStatus(ReleaseKind, { namespace, name: 'shop-v0.1.0' }, () => ({
      phase: 'Building' as const,
      ...(digest !== undefined && { digest }),
      zones: restarted,
    }));
    await record('v0.1.0', { phase: 'Healthy', healthyAt: at });
    await record('v0.1.0', { phase: 'Verified', verifiedAt: later });
    expect(await readRelease('v0.1.0')).toEqual(restarted);
    expect(await readZone()).toEqual({ ...running('v0.1.0'), healthyAt: at, verifiedAt: later });
    expect((await listPromotions()).map(({ status }) => status?.phase)).toEqual(['Verified']);
  },
);
