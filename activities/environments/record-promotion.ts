import { type ZoneStatus, ProductKind } from '../../src/rules/products/kinds.ts';
import { PromotionKind, type PromotionSpec } from '../../src/rules/promotions/kinds.ts';
import { patchPromotion, promotionName } from '../../src/rules/promotions/patch-promotion.ts';
import { type Release, ReleaseKind, type ReleaseZone } from '../../src/rules/releases/kinds.ts';
import { isTerminalZonePhase, patchReleaseZone, type ZonePatch } from '../../src/rules/releases/release-status.ts';
import { orgNamespace, ownerReference } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { updateOrCreate } from '../update-or-create.ts';
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
  record: PromotionRecord,
  { address, at }: { address: string; at: string },
): Promise<void> {
  const { release: name, attempt, patch, ...ref } = record;
  const namespace = orgNamespace(ref.org);
  const promotion = promotionName({ release: name, zone: ref.zone, id: attempt.id });
  const release = await store.updateStatus(
    ReleaseKind,
    { namespace, name },
    ({ status }) => status && patchReleaseZone(status, ref.zone, { address, promotion, ...patch }),
  );
  const metadata = { namespace, name: promotion, ownerReferences: [ownerReference(release)] };
  const spec = toPromotionSpec(release, record);
  await updateOrCreate(store, PromotionKind, { metadata, spec }, (status) => patchPromotion(status, patch, at));
  const entry = release.status?.zones.find((zone) => zone.name === ref.zone);
  if (!entry || !(await isZoneKnown(store, ref))) return;
  await store.updateStatus(ProductKind, { namespace, name: ref.product }, ({ status }) => {
    const zones = status?.zones ?? [];
    const before = zones.find((zone) => zone.name === ref.zone);
    const after = toZoneStatus(before, { address, release, entry, isHealthy: patch.phase === 'Healthy' });
    return { ...status, zones: [...zones.filter((zone) => zone.name !== ref.zone), after] };
  });
}

/** Returns what a Promotion is about, which never changes. */
function toPromotionSpec(
  { metadata, spec, status }: Release,
  { product, zone, attempt }: PromotionRecord,
): PromotionSpec {
  const { version, commit } = spec;
  const { trigger = 'release', by = status?.startedBy ?? spec.startedBy } = attempt.cause ?? {};
  return { product, zone, release: metadata.name, version, commit, trigger, startedBy: by };
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
