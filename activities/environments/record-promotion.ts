import { ignoreNotFound } from '../../src/errors.ts';
import { type ZoneStatus, ProductKind } from '../../src/rules/products/kinds.ts';
import { PromotionKind, type PromotionSpec, type PromotionStatus } from '../../src/rules/promotions/kinds.ts';
import { patchPromotion, promotionName } from '../../src/rules/promotions/patch-promotion.ts';
import { type Release, ReleaseKind } from '../../src/rules/releases/kinds.ts';
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
  /** The image that is promoted; the Release may have started again with another one. */
  digest: string;
  attempt: PromotionAttempt;
  patch: ZonePatch;
};

/**
 * Records the progress of a Promotion, and the resulting state of the zone on the Product. The Release shows the progress
 * too, unless it has another image meanwhile. A Release that was deleted must not end the workflow of the zone, which
 * would lose its freeze, its hold and the requests of other Releases.
 */
export async function recordPromotionStatus(
  store: Store,
  record: PromotionRecord,
  { address, at }: { address: string; at: string },
): Promise<void> {
  const { release: name, digest, attempt, patch, ...ref } = record;
  const namespace = orgNamespace(ref.org);
  const promotion = promotionName({ release: name, zone: ref.zone, id: attempt.id });
  const release = await store
    .updateStatus(ReleaseKind, { namespace, name }, ({ status }) =>
      status?.digest === digest ? patchReleaseZone(status, ref.zone, { address, promotion, ...patch }) : status,
    )
    .catch(ignoreNotFound);
  if (!release) return await endCurrentPromotion(store, record);
  const metadata = { namespace, name: promotion, ownerReferences: [ownerReference(release)] };
  const spec = toPromotionSpec(release, record);
  const { status: progress } = await updateOrCreate(store, PromotionKind, { metadata, spec }, (status) =>
    patchPromotion(status, patch, at),
  );
  if (!progress || !(await isZoneKnown(store, ref))) return;
  await store.updateStatus(ProductKind, { namespace, name: ref.product }, ({ status }) => {
    const zones = status?.zones ?? [];
    const before = zones.find((zone) => zone.name === ref.zone) ?? { name: ref.zone };
    const after = toZoneStatus(before, { address, release, digest, progress, isHealthy: patch.phase === 'Healthy' });
    return { ...status, zones: [...zones.filter((zone) => zone.name !== ref.zone), after] };
  });
}

/** Shows no longer that the zone gets a Release which was deleted. */
async function endCurrentPromotion(store: Store, { release, ...ref }: PromotionRecord): Promise<void> {
  await store
    .updateStatus(ProductKind, { namespace: orgNamespace(ref.org), name: ref.product }, ({ status }) => {
      const zones = status?.zones?.map((zone) => {
        const { currentPromotion, ...rest } = zone;
        return zone.name === ref.zone && currentPromotion?.release === release ? rest : zone;
      });
      return zones && { ...status, zones };
    })
    .catch(ignoreNotFound);
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

type Progress = { address: string; release: Release; digest: string; progress: PromotionStatus; isHealthy: boolean };

function toZoneStatus(before: ZoneStatus, { address, release, digest, progress, isHealthy }: Progress): ZoneStatus {
  const { name } = release.metadata;
  const { version, commit } = release.spec;
  const running = isHealthy ? { release: name, version, commit, digest } : {};
  const after: ZoneStatus = {
    ...before,
    address,
    ...running,
    ...(name === (isHealthy ? name : before.release) ? toHealthTimestamps(progress) : {}),
  };
  if (after.currentPromotion?.release === name) delete after.currentPromotion;
  // A Release that started again may have another image.
  if (isHealthy && (before.release !== name || before.digest !== digest)) {
    delete after.screenshot;
    delete after.verifiedAt;
  }
  if (progress.phase === 'Failed' && progress.failure) after.failure = progress.failure;
  if (!isTerminalZonePhase(progress.phase) || progress.phase === 'Verified') delete after.failure;
  if (!isTerminalZonePhase(progress.phase)) after.currentPromotion = { release: name, version, phase: progress.phase };
  return after;
}

const toHealthTimestamps = ({
  healthyAt,
  verifiedAt,
}: PromotionStatus): Pick<ZoneStatus, 'healthyAt' | 'verifiedAt'> => ({
  ...(healthyAt ? { healthyAt } : {}),
  ...(verifiedAt ? { verifiedAt } : {}),
});
