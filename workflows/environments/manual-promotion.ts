import { compareVersions } from '../../src/rules/releases/next-version.ts';
import { toRecordedProof } from '../decision-guard.ts';
import { timestamp } from '../timestamp.ts';
import { findNewestVersion } from './find-newest-version.ts';
import type { PromotionRequest } from './messages.ts';
import type { ZoneController } from './zone-controller.ts';

/** Promotes the Release that a person chose; a rollback to an older version holds newer ones back. */
export async function promoteManually(
  controller: ZoneController,
  promote: (request: PromotionRequest) => Promise<void>,
): Promise<void> {
  const { manualPromotion } = controller;
  if (!manualPromotion) return;
  const { request, by, role, note, proof } = manualPromotion;
  const { running } = await controller.readZone();
  // A version that never became healthy counts too, because it is what people roll back most.
  const queued = controller.queue.map(({ version }) => version);
  const newestVersion = findNewestVersion([
    running?.version,
    controller.newestVersion,
    controller.hold?.newestVersion,
    ...queued,
  ]);
  const isRollback = newestVersion !== undefined && compareVersions(request.version, newestVersion) < 0;
  controller.hold = isRollback ? { version: request.version, newestVersion, by, since: timestamp() } : undefined;
  await controller.recordZoneState({ hold: controller.hold ?? null });
  const decision = { by, role, outcome: 'approved' as const, commit: request.commit, at: timestamp() };
  await controller.recordPromotion(request, {
    phase: 'Pending',
    decision: { ...decision, ...(note ? { note } : {}), ...toRecordedProof(proof) },
    waitingFor: null,
    failure: null,
    verifiedAt: null,
  });
  controller.manualPromotion = undefined;
  await promote(request);
  // The promotion may supersede queued requests; the gate is evaluated again for the others.
  controller.hasNewRequests ||= controller.queue.length > 0;
  controller.candidate = undefined;
}
