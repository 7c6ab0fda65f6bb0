import { isServiceError } from '../../src/errors.ts';
import { type ZoneStatus, ProductKind } from '../../src/rules/products/kinds.ts';
import { PromotionKind } from '../../src/rules/promotions/kinds.ts';
import { patchPromotion, promotionName } from '../../src/rules/promotions/patch-promotion.ts';
import { type Release, ReleaseKind, type ReleaseZone } from '../../src/rules/releases/kinds.ts';
import { isTerminalZonePhase, patchReleaseZone, type ZonePatch } from '../../src/rules/releases/release-status.ts';
import { orgNamespace, ownerReference } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { getOrCreate } from '../get-or-create.ts';
import { isZoneKnown } from './zone-status.ts';

/** The attempt that a record belongs to, and who asked for it if it was not the Release. */
export type PromotionAttempt = { id: string; cause?: { trigger: 'manual' | 'rollback'; by: string } };
export type PromotionRecord = {
  org: string;
  product: string;
  zone: string;
  release: string;
  attempt: PromotionAttempt;
  patch: ZonePatch;
};

/** Records the progress of a Promotion, on its Release too, and the resulting state of the zone on the Product. */
export async function recordPromotionStatus(
  store: Store,
  { release: name, attempt, patch, ...ref }: PromotionRecord,
  { address, at }: { address: string; at: string },
): Promise<void> {
  const namespace = orgNamespace(ref.org);
  const promotion = promotionName({ release: name, zone: ref.zone, id: attempt.id });
  const owner = await store.get(ReleaseKind, { namespace, name });
  await savePromotion(store, { metadata: { namespace, name: promotion }, owner, ref, attempt, patch, at });
  const release = await store.updateStatus(
    ReleaseKind,
    { namespace, name },
    ({ status }) => status && patchReleaseZone(status, ref.zone, { address, promotion, ...patch }),
  );
  const entry = release.status?.zones.find((zone) => zone.name === ref.zone);
  if (!entry || !(await isZoneKnown(store, ref))) return;
  await store.updateStatus(ProductKind, { namespace, name: ref.product }, ({ status }) => {
    const zones = status?.zones ?? [];
    const before = zones.find((zone) => zone.name === ref.zone);
    const after = toZoneStatus(before, { address, release, entry, isHealthy: patch.phase === 'Healthy' });
    return { ...status, zones: [...zones.filter((zone) => zone.name !== ref.zone), after] };
  });
}

type SavedPromotion = Pick<PromotionRecord, 'attempt' | 'patch'> & {
  metadata: { namespace: string; name: string };
  owner: Release;
  ref: { product: string; zone: string };
  at: string;
};

async function savePromotion(
  store: Store,
  { metadata, owner, ref: { product, zone }, attempt: { cause }, patch, at }: SavedPromotion,
): Promise<void> {
  const update = async (): Promise<unknown> =>
    await store.updateStatus(PromotionKind, metadata, ({ status }) => patchPromotion(status, patch, at));
  try {
    await update();
  } catch (error) {
    if (!isServiceError(error, 'not-found')) throw error;
    const { version, commit, startedBy } = owner.spec;
    await getOrCreate(store, PromotionKind, {
      metadata: { ...metadata, ownerReferences: [ownerReference(owner)] },
      spec: {
        product,
        zone,
        release: owner.metadata.name,
        version,
        commit,
        trigger: cause?.trigger ?? 'release',
        startedBy: cause?.by ?? owner.status?.startedBy ?? startedBy,
      },
    });
    await update();
  }
}

type Progress = { address: string; release: Release; entry: ReleaseZone; isHealthy: boolean };

function toZoneStatus(before: ZoneStatus | undefined, { address, release, entry, isHealthy }: Progress): ZoneStatus {
  const { name } = release.metadata;
  const { version, commit } = release.spec;
  const running = isHealthy ? { release: name, version, commit, digest: release.status?.digest } : {};
  const after: ZoneStatus = {
    ...before,
    name: entry.name,
    address,
    ...running,
    ...(name === (isHealthy ? name : before?.release) ? toHealthTimestamps(entry) : {}),
  };
  if (after.currentPromotion?.release === name) delete after.currentPromotion;
  if (isHealthy && before?.release !== name) {
    delete after.screenshot;
    delete after.verifiedAt;
  }
  if (entry.phase === 'Failed' && entry.failure) after.failure = entry.failure;
  if (!isTerminalZonePhase(entry.phase) || entry.phase === 'Verified') delete after.failure;
  if (!isTerminalZonePhase(entry.phase)) after.currentPromotion = { release: name, version, phase: entry.phase };
  return after;
}

const toHealthTimestamps = ({ healthyAt, verifiedAt }: ReleaseZone): Pick<ZoneStatus, 'healthyAt' | 'verifiedAt'> => ({
  ...(healthyAt ? { healthyAt } : {}),
  ...(verifiedAt ? { verifiedAt } : {}),
});
