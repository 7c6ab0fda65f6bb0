import { type ZoneStatus, ProductKind } from '../../src/rules/products/kinds.ts';
import { type Release, ReleaseKind, type ReleaseZone } from '../../src/rules/releases/kinds.ts';
import { isTerminalZonePhase, patchReleaseZone, type ZonePatch } from '../../src/rules/releases/release-status.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { isZoneKnown } from './zone-status.ts';

export type PromotionRecord = {
  org: string;
  product: string;
  zone: string;
  release: string;
  patch: ZonePatch;
};

/** Records the progress of a promotion on the Release, and the resulting state of the zone on the Product. */
export async function recordPromotionStatus(
  store: Store,
  { release: name, patch, ...ref }: PromotionRecord,
  address: string,
): Promise<void> {
  const namespace = orgNamespace(ref.org);
  const release = await store.updateStatus(
    ReleaseKind,
    { namespace, name },
    ({ status }) => status && patchReleaseZone(status, ref.zone, { address, ...patch }),
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
