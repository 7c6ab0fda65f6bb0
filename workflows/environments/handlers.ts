import { condition, patched, setDefaultSignalHandler, setHandler, uuid4 } from '@temporalio/workflow';
import type { ApplicationFailure } from '@temporalio/workflow';
import type { DecisionProof } from '../../src/rules/access/decisions.ts';
import { toRecordedProof } from '../decision-guard.ts';
import { conflictFailure } from '../failures.ts';
import { isSameAttempt } from './is-same-attempt.ts';
import {
  type ManualPromotion,
  type PromotionDecision,
  type PromotionRequest,
  type RemoveZoneRequest,
  applySettingsSignal,
  approvePromotionUpdate,
  enqueueSignal,
  freezeZoneUpdate,
  promoteManuallyUpdate,
  rejectPromotionUpdate,
  removeZoneSignal,
  unfreezeZoneUpdate,
  withdrawSignal,
  zoneProgressQuery,
} from './messages.ts';
import { applyDecision } from './promotion-gate.ts';
import type { ZoneController } from './zone-controller.ts';

const removalFailure = ({ input }: ZoneController): ApplicationFailure =>
  conflictFailure('zone-removing', `The zone "${input.zone}" is being removed.`);

function assertNotRemoving(controller: ZoneController): void {
  if (controller.removal) throw removalFailure(controller);
}

/** Registers the zone's messages; an update returns once its effect is in the store. */
export function registerHandlers(controller: ZoneController): void {
  setHandler(zoneProgressQuery, () => {
    const { inProgress, candidate, queue } = controller;
    return {
      release: (inProgress?.request ?? candidate?.request)?.release,
      phase: inProgress?.phase ?? (candidate ? 'Pending' : 'Idle'),
      queue: queue.filter((request) => request !== candidate?.request).map(({ release }) => release),
    };
  });
  registerSignalHandler(controller);
  registerDecisionHandlers(controller);
  registerManualPromotionHandler(controller);
  registerFreezeHandlers(controller);
}

/**
 * Registers one handler for all signals, because the SDK keeps the order of signals that arrive before the first task
 * only for the default handler. A Release that is enqueued and then withdrawn must not end up enqueued.
 */
function registerSignalHandler(controller: ZoneController): void {
  const handlers: Record<string, (payload: never) => void | Promise<void>> = {
    [enqueueSignal.name]: async (request: PromotionRequest) => await enqueue(controller, request),
    [withdrawSignal.name]: async ({ release, by }: { release: string; by: string }) => {
      const withdrawn = controller.dequeue(release);
      if (withdrawn) await controller.finishPromotion(withdrawn, { phase: 'Cancelled' });
      else controller.withdrawInProgress({ release, by });
    },
    [removeZoneSignal.name]: (removal: RemoveZoneRequest) => {
      controller.removal = removal;
      if (removal.replyToWorkflowId !== undefined) controller.awaitingRemoval.add(removal.replyToWorkflowId);
      controller.inProgress?.scope.cancel();
    },
    [applySettingsSignal.name]: ({ generation }: { generation: number }) => {
      controller.settingsGeneration = Math.max(generation, controller.settingsGeneration ?? 0);
    },
  };
  setDefaultSignalHandler(async (name, payload) => await handlers[name]?.(payload as never));
}

/** A later attempt of a Release replaces one that waits, and waits for one in progress. */
async function enqueue(controller: ZoneController, request: PromotionRequest): Promise<void> {
  const { queue, inProgress } = controller;
  const known = [...queue, inProgress?.request].filter((one) => one?.release === request.release);
  if (known.some((one) => one && isSameAttempt(one, request))) return;
  if (known.length > 0 && !patched('release-attempts')) return;
  const replaced = controller.dequeue(request.release);
  const accepted = { ...request, attempt: { id: uuid4() } };
  controller.keepTrace(accepted);
  controller.queue.push(accepted);
  controller.hasNewRequests = true;
  if (replaced) await controller.finishPromotion(replaced, { phase: 'Superseded' });
}

function registerDecisionHandlers(controller: ZoneController): void {
  const assertAwaitingApproval = ({ release }: PromotionDecision, _proof?: DecisionProof): void => {
    if (controller.releaseAwaitingApproval === release) return;
    const { zone } = controller.input;
    const message = controller.isDecided(release)
      ? `The Release "${release}" was already approved or rejected in zone "${zone}".`
      : `The Release "${release}" does not wait for approval in zone "${zone}".`;
    throw conflictFailure('promotion-not-waiting', message);
  };
  const decide = (outcome: 'approved' | 'rejected') => async (decision: PromotionDecision, proof?: DecisionProof) => {
    const action = outcome === 'approved' ? 'approvePromotion' : 'rejectPromotion';
    await controller.assertAuthentic(action, decision, proof);
    // Another decision may have arrived during the check.
    assertAwaitingApproval(decision);
    const pending = { ...decision, ...toRecordedProof(proof), outcome };
    if (patched('decide-in-handler')) return await recordDecision(controller, pending);
    controller.pendingDecision = pending;
    await condition(() => controller.pendingDecision !== pending || controller.removal !== undefined);
    if (controller.pendingDecision !== pending) return;
    controller.pendingDecision = undefined;
    throw removalFailure(controller);
  };
  setHandler(approvePromotionUpdate, decide('approved'), { validator: assertAwaitingApproval });
  setHandler(rejectPromotionUpdate, decide('rejected'), { validator: assertAwaitingApproval });
}

/** Records a decision at once, because the loop may be busy for hours with a settings change. */
async function recordDecision(
  controller: ZoneController,
  decision: NonNullable<ZoneController['pendingDecision']>,
): Promise<void> {
  const { release } = decision;
  assertNotRemoving(controller);
  if (controller.manualPromotion?.request.release === release)
    throw conflictFailure(
      'promotion-in-progress',
      `The Release "${release}" is already being promoted to the zone "${controller.input.zone}".`,
    );
  controller.recordedRelease = release;
  try {
    await applyDecision(controller, decision);
  } finally {
    controller.recordedRelease = undefined;
  }
}

function registerManualPromotionHandler(controller: ZoneController): void {
  setHandler(
    promoteManuallyUpdate,
    async (decision, proof) => {
      await controller.assertAuthentic('promoteManually', decision, proof);
      assertManualPromotionAllowed(controller, decision);
      const promotion = { ...decision, ...toRecordedProof(proof) };
      controller.keepTrace(promotion);
      controller.manualPromotion = promotion;
      // A manual promotion replaces the one in progress.
      controller.inProgress?.scope.cancel();
      await condition(() => controller.manualPromotion !== promotion || controller.removal !== undefined);
      if (controller.manualPromotion !== promotion) return;
      controller.manualPromotion = undefined;
      throw removalFailure(controller);
    },
    {
      validator: (promotion: ManualPromotion, _proof?: DecisionProof) =>
        assertManualPromotionAllowed(controller, promotion),
    },
  );
}

function assertManualPromotionAllowed(
  controller: ZoneController,
  { request: { release, version }, overrideFreeze }: ManualPromotion,
): void {
  const { manualPromotion, inProgress, freeze, input } = controller;
  assertNotRemoving(controller);
  if (manualPromotion)
    throw conflictFailure(
      'promotion-in-progress',
      `Another person is promoting ${manualPromotion.request.version} to the zone "${input.zone}".`,
    );
  if (inProgress?.request?.release === release)
    throw conflictFailure('promotion-in-progress', `${version} is already being promoted to the zone "${input.zone}".`);
  if (freeze && !overrideFreeze)
    throw conflictFailure(
      'zone-frozen',
      `${freeze.by} froze the zone "${input.zone}": ${freeze.reason} Unfreeze it, or set overrideFreeze: true.`,
    );
}

function registerFreezeHandlers(controller: ZoneController): void {
  const validator = (_decision: unknown, _proof?: DecisionProof): void => assertNotRemoving(controller);
  setHandler(
    freezeZoneUpdate,
    async (freeze, proof) => {
      await controller.assertAuthentic('freezeZone', freeze, proof);
      assertNotRemoving(controller);
      controller.freeze = freeze;
      await controller.recordZoneState({ freeze });
    },
    { validator },
  );
  setHandler(
    unfreezeZoneUpdate,
    async (decision, proof) => {
      await controller.assertAuthentic('unfreezeZone', decision, proof);
      assertNotRemoving(controller);
      controller.freeze = undefined;
      await controller.recordZoneState({ freeze: null });
    },
    { validator },
  );
}
