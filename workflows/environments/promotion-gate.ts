import type { ReleaseZone } from '../../src/rules/releases/kinds.ts';
import { compareVersions } from '../../src/rules/releases/next-version.ts';
import { toRecordedProof } from '../decision-guard.ts';
import { timestamp } from '../timestamp.ts';
import type { AcceptedRequest } from './messages.ts';
import { toFailedOutcome } from './run-promotion.ts';
import { describeFreeze } from './wait-until-unfrozen.ts';
import type { GateBlocker, ZoneController } from './zone-controller.ts';

function findBlocker({ candidate, hold, freeze, approvedRelease }: ZoneController): GateBlocker | undefined {
  if (!candidate) return undefined;
  if (hold) return 'hold';
  if (candidate.requiresApproval && approvedRelease !== candidate.request.release) return 'approval';
  return freeze ? 'freeze' : undefined;
}

const findNewestRequest = ({ queue }: ZoneController): AcceptedRequest | undefined =>
  queue.toSorted((left, right) => compareVersions(right.version, left.version))[0];

/** Reports whether the candidate is the newest request and nothing blocks it. */
export const canProceed = (controller: ZoneController): boolean =>
  controller.candidate !== undefined &&
  controller.candidate.request === findNewestRequest(controller) &&
  findBlocker(controller) === undefined;

/** Reports whether the candidate or its recorded blocker is out of date. */
export const isGateStale = (controller: ZoneController): boolean =>
  controller.candidate?.request !== findNewestRequest(controller) ||
  controller.candidate?.recordedBlocker !== (controller.candidate && findBlocker(controller));

/** Makes the newest request the candidate, and records the blocker that it waits for. */
export async function evaluateGate(controller: ZoneController): Promise<void> {
  const newest = findNewestRequest(controller);
  if (!newest) return void (controller.candidate = undefined);
  // The zone's spec may have begun to require approval while a hold or freeze blocked the candidate.
  const wasBlocked = ['hold', 'freeze'].includes(controller.candidate?.recordedBlocker ?? '');
  if (controller.candidate?.request !== newest || wasBlocked) {
    const { requiresApproval } = await controller.readZone();
    // The request may have been withdrawn during the read.
    if (!controller.queue.includes(newest)) return;
    controller.candidate = { request: newest, requiresApproval, recordedBlocker: undefined };
  }
  const blocker = findBlocker(controller);
  controller.candidate.recordedBlocker = blocker;
  if (!blocker) return;
  const phase = blocker === 'approval' ? 'WaitingForApproval' : 'Pending';
  const message = describeBlocker(controller, blocker, newest);
  await controller.recordPromotion(newest, { phase, waitingFor: { role: 'member', since: timestamp(), message } });
}

function describeBlocker(
  { hold, freeze, input: { zone } }: ZoneController,
  blocker: GateBlocker,
  { version }: AcceptedRequest,
): string {
  if (blocker === 'hold')
    return `promote ${version} to ${zone} manually: ${hold?.by} rolled back to ${hold?.version}, which holds newer versions`;
  if (blocker === 'freeze' && freeze) return describeFreeze(zone, freeze);
  return `approve ${version} for ${zone}`;
}

/** Records a person's decision; a freeze or a change in progress may still delay an approved promotion. */
export async function applyDecision(
  controller: ZoneController,
  { release, outcome, by, role, note, proof }: NonNullable<ZoneController['pendingDecision']>,
): Promise<void> {
  const request = controller.queue.find((queued) => queued.release === release);
  if (request) {
    const decision: ReleaseZone['decision'] = {
      by,
      role,
      outcome,
      commit: request.commit,
      at: timestamp(),
      ...(note ? { note } : {}),
      ...toRecordedProof(proof),
    };
    if (outcome === 'approved') {
      const phase = controller.freeze || controller.inProgress ? 'Pending' : 'Promoting';
      await controller.recordPromotion(request, { decision, waitingFor: null, phase });
      // The request may have been withdrawn meanwhile.
      if (controller.queue.includes(request)) controller.approvedRelease = release;
    } else await rejectRequest(controller, request, decision);
  }
  controller.pendingDecision = undefined;
}

async function rejectRequest(
  controller: ZoneController,
  request: AcceptedRequest,
  decision: NonNullable<ReleaseZone['decision']>,
): Promise<void> {
  const { by, note } = decision;
  const rejection = {
    ...toFailedOutcome(controller.input.zone, {
      reason: 'rejected',
      message: `${by} rejected it${note ? `: ${note}` : '.'}`,
      fix: 'Start a new Release when it is ready.',
    }),
    phase: 'Rejected' as const,
  };
  await controller.recordPromotion(request, { decision, waitingFor: null, ...rejection });
  if (controller.dequeue(request.release)) await controller.finishPromotion(request, rejection);
}
