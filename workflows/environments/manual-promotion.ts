import { uuid4 } from '@temporalio/workflow';
import { compareVersions } from '../../src/rules/releases/next-version.ts';
import { toRecordedProof } from '../decision-guard.ts';
import { timestamp } from '../timestamp.ts';
import { findNewestVersion } from './find-newest-version.ts';
import { isSameAttempt } from './is-same-attempt.ts';
import type { AcceptedRequest } from './messages.ts';
import type { ZoneController } from './zone-controller.ts';

/** Promotes the Release that a person chose; a rollback to an older version holds newer ones back. */
export async function promoteManually(
  controller: ZoneController,
  promote: (request: AcceptedRequest) => Promise<void>,
): Promise<void> {
  const { manualPromotion } = controller;
  if (!manualPromotion) return;
  const { by, role, note, proof, overrideFreeze = false } = manualPromotion;
  const { running } = await controller.readZone();
  // A version that never became healthy counts too, because it is what people roll back most.
  const queued = controller.queue.map(({ version }) => version);
  const newestVersion = findNewestVersion([
    running?.version,
    controller.newestVersion,
    controller.hold?.newestVersion,
    ...queued,
  ]);
  const { version, release } = manualPromotion.request;
  const isRollback = newestVersion !== undefined && compareVersions(version, newestVersion) < 0;
  // A Release that already waits here has an attempt, which the person's decision continues.
  const waiting = controller.queue.find(
    (queued) => queued.release === release && isSameAttempt(queued, manualPromotion.request),
  );
  const cause = { trigger: isRollback ? 'rollback' : 'manual', by } as const;
  const attempt = waiting?.attempt ?? { id: uuid4(), cause };
  const request = { ...manualPromotion.request, attempt, overrideFreeze };
  controller.hold = isRollback ? { version, newestVersion, by, since: timestamp() } : undefined;
  await controller.recordZoneState({ hold: controller.hold ?? null });
  const decision = { by, role, outcome: 'approved' as const, commit: request.commit, at: timestamp() };
  await controller.recordPromotion(request, {
    phase: 'Pending',
    decision: { ...decision, ...(note ? { note } : {}), ...toRecordedProof(proof) },
    waitingFor: null,
  });
  controller.manualPromotion = undefined;
  await promote(request);
  // The promotion may supersede queued requests; the gate is evaluated again for the others.
  controller.hasNewRequests ||= controller.queue.length > 0;
  controller.candidate = undefined;
}
