import {
  CancellationScope,
  allHandlersFinished,
  condition,
  continueAsNew,
  isCancellation,
  patched,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import { defined } from '../../src/defined.ts';
import { selectPromotion } from '../../src/rules/environments/select-promotion.ts';
import { proxyWaits } from '../proxy-waits.ts';
import { signalIfRunning } from '../signal-if-running.ts';
import { applyZoneSettings } from './apply-zone-settings.ts';
import { findNewestVersion } from './find-newest-version.ts';
import { registerHandlers } from './handlers.ts';
import { isSameAttempt } from './is-same-attempt.ts';
import { promoteManually } from './manual-promotion.ts';
import { type ManageZoneInput, type AcceptedRequest, zoneRemovedSignal } from './messages.ts';
import { applyDecision, canProceed, evaluateGate, isGateStale } from './promotion-gate.ts';
import { runPromotion } from './run-promotion.ts';
import { waitAndLiftFreeze } from './wait-until-unfrozen.ts';
import { ZoneController, type PromotionOutcome } from './zone-controller.ts';

/**
 * Serializes all changes to one zone for as long as the zone exists.
 *
 *   enqueue ─► newest request ─► no hold ─► approval (if required) ─► not frozen ─► promote ─► verified
 *                 └► the others: Superseded     └► a newer request arrives: Superseded
 *   promoteManually ─► skips the queue and cancels the promotion in progress; a rollback leaves a hold
 *   applySettings ─► changes the values file only
 */
export async function manageZone(input: ManageZoneInput): Promise<void> {
  const controller = new ZoneController(input);
  registerHandlers(controller);
  while (!controller.removal) {
    await waitForWork(controller);
    if (controller.removal) break;
    await processNext(controller);
    const { candidate } = controller;
    setCurrentDetails(candidate ? `${candidate.request.version} is waiting` : 'Idle');
    if (workflowInfo().continueAsNewSuggested) await continueZoneAsNew(controller);
  }
  await tearDownZone(controller);
}

const hasPendingWork = ({ removal, pendingDecision, manualPromotion, settingsGeneration }: ZoneController): boolean =>
  [removal, pendingDecision, manualPromotion, settingsGeneration].some((work) => work !== undefined);

async function waitForWork(controller: ZoneController): Promise<void> {
  const hasWork = (): boolean =>
    hasPendingWork(controller) ||
    controller.hasNewRequests ||
    isGateStale(controller) ||
    canProceed(controller) ||
    workflowInfo().continueAsNewSuggested;
  await waitAndLiftFreeze(controller, hasWork);
}

async function processNext(controller: ZoneController): Promise<void> {
  const promote = async (request: AcceptedRequest): Promise<void> =>
    await controller.continueTrace(request, async () => await promoteRequest(controller, request));
  const { manualPromotion, settingsGeneration } = controller;
  if (manualPromotion)
    return await controller.continueTrace(manualPromotion, async () => await promoteManually(controller, promote));
  if (settingsGeneration !== undefined) return await applyPendingSettings(controller, settingsGeneration);
  if (controller.pendingDecision) await applyDecision(controller, controller.pendingDecision);
  if (controller.hasNewRequests) await supersedeOlderRequests(controller);
  if (isGateStale(controller)) await evaluateGate(controller);
  if (canProceed(controller) && controller.candidate && !hasPendingWork(controller))
    await promote(controller.candidate.request);
}

/** Keeps the newest request; the ones older than it, or than the running Release, are superseded. */
async function supersedeOlderRequests(controller: ZoneController): Promise<void> {
  controller.hasNewRequests = false;
  const { running } = await controller.readZone();
  const { superseded } = selectPromotion(controller.queue, running);
  for (const request of superseded)
    if (controller.dequeue(request.release)) await controller.finishPromotion(request, { phase: 'Superseded' });
}

async function promoteRequest(controller: ZoneController, request: AcceptedRequest): Promise<void> {
  takeFromQueue(controller, request);
  controller.newestVersion = findNewestVersion([controller.newestVersion, request.version]);
  const scope = new CancellationScope();
  controller.inProgress = { request, phase: 'Pending', scope };
  // The removal may have arrived while a manual promotion was being recorded, before there was a scope to cancel.
  if (controller.removal) scope.cancel();
  const toCancelledOutcome = (): PromotionOutcome => ({ phase: controller.removal ? 'Cancelled' : 'Superseded' });
  const outcome = await scope
    .run(async () => await runPromotion(controller, request))
    .catch((error: unknown): PromotionOutcome => {
      if (!isCancellation(error) || !scope.consideredCancelled) throw error;
      return toCancelledOutcome();
    });
  // A cancelled activity whose worker has died ends by a timeout, which says nothing about the Release.
  const isCancelled = scope.consideredCancelled && outcome.phase === 'Failed';
  await controller.finishPromotion(request, isCancelled ? toCancelledOutcome() : outcome);
  controller.inProgress = undefined;
}

/** A manual promotion takes the place of a request for the same image; one for another image waits on. */
function takeFromQueue(controller: ZoneController, request: AcceptedRequest): void {
  const waiting = controller.queue.find(({ release }) => release === request.release);
  if (!waiting || isSameAttempt(waiting, request) || !patched('release-attempts')) controller.dequeue(request.release);
}

async function applyPendingSettings(controller: ZoneController, generation: number): Promise<void> {
  const scope = new CancellationScope();
  controller.inProgress = { phase: 'Settings', scope };
  try {
    await scope.run(async () => await applyZoneSettings(controller, generation));
    // Settings that a promotion interrupted, or that changed again, are applied once more.
    if (controller.settingsGeneration === generation && !scope.consideredCancelled)
      controller.settingsGeneration = undefined;
  } catch (error) {
    if (!isCancellation(error) || !scope.consideredCancelled) throw error;
  } finally {
    controller.inProgress = undefined;
  }
}

async function continueZoneAsNew(controller: ZoneController): Promise<void> {
  // A handler that still waits for the loop must be served first.
  await condition(() => allHandlersFinished() || hasPendingWork(controller));
  if (hasPendingWork(controller)) return;
  const { queue, freeze, hold, newestVersion, approvedRelease } = controller;
  await continueWith(controller, { queue, freeze, hold, newestVersion, approvedRelease });
}

async function tearDownZone(controller: ZoneController): Promise<void> {
  const { by = '' } = controller.removal ?? {};
  const cancelRequests = async (): Promise<void> => {
    for (const request of controller.queue)
      if (controller.dequeue(request.release)) await controller.finishPromotion(request, { phase: 'Cancelled' });
    await condition(allHandlersFinished);
  };
  // Settings that arrive from here on may be those of a zone that is added again.
  controller.settingsGeneration = undefined;
  // Requests are cancelled first, because nothing can be recorded for a removed zone.
  await cancelRequests();
  await proxyWaits().removeZone({ ...controller.ref, by });
  await cancelRequests();
  await reportRemoval(controller);
  while (controller.queue.length > 0 || controller.settingsGeneration !== undefined) {
    if (await controller.isZoneDesired()) return await startAgain(controller);
    controller.settingsGeneration = undefined;
    await cancelRequests();
    await reportRemoval(controller);
  }
}

/** Reports also to the workflows that began to wait during the removal. */
async function reportRemoval({ awaitingRemoval, input: { zone } }: ZoneController): Promise<void> {
  for (const workflowId of awaitingRemoval) {
    awaitingRemoval.delete(workflowId);
    await signalIfRunning(workflowId, async (handle) => await handle.signal(zoneRemovedSignal, { zone }));
  }
}

/** Begins the life of a zone that was added again under the same name, with the messages that arrived since. */
async function startAgain(controller: ZoneController): Promise<void> {
  await condition(allHandlersFinished);
  const { queue, settingsGeneration, awaitingRemoval } = controller;
  const removal = awaitingRemoval.size > 0 ? controller.removal : undefined;
  await continueWith(controller, { queue, settingsGeneration, removal });
}

type Carried = { [Field in keyof ManageZoneInput]?: ManageZoneInput[Field] | undefined };

const continueWith = async ({ ref, input: { intervals } }: ZoneController, carried: Carried): Promise<void> =>
  await continueAsNew<typeof manageZone>({ ...ref, ...defined({ intervals, ...carried }) });
