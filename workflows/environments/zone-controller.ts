import { type Context, context } from '@opentelemetry/api';
import { CancellationScope, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { DecisionProof } from '../../src/rules/access/decisions.ts';
import type { ZoneStatePatch } from '../../src/rules/environments/zone-state.ts';
import type { ZonePatch } from '../../src/rules/releases/release-status.ts';
import { storeOptions } from '../activity-options.ts';
import { type AssertAuthentic, createDecisionGuard } from '../decision-guard.ts';
import { promotionFinishedSignal } from '../releases/messages.ts';
import { serialQueue } from '../serial-queue.ts';
import { signalIfRunning } from '../signal-if-running.ts';
import type {
  AcceptedRequest,
  ManageZoneInput,
  ManualPromotion,
  PromotionDecision,
  RemoveZoneRequest,
  ZoneIntervals,
} from './messages.ts';

const { isZoneDesired, readZone, recordPromotion, recordZoneState } = proxyLocalActivities<Activities>(storeOptions);

const defaultIntervals: ZoneIntervals = { healthyTimeoutMs: 10 * 60_000, smokeCheckIntervalMs: 1_000 };

export type PromotionOutcome = ZonePatch & { phase: NonNullable<ZonePatch['phase']> };

/** A decision with the proof that is recorded with it. */
type Proven<T> = T & { proof?: DecisionProof };

/** Blocks a promotion; blockers are evaluated in this order. */
export type GateBlocker = 'hold' | 'approval' | 'freeze';

/** The newest request in the queue, with the blocker that its Release shows. */
export type Candidate = {
  request: AcceptedRequest;
  requiresApproval: boolean;
  recordedBlocker: GateBlocker | undefined;
};

/** The state of a zone between messages: handlers write it, and the main loop acts on it. */
export class ZoneController {
  readonly input: ManageZoneInput;
  readonly intervals: ZoneIntervals;
  readonly assertAuthentic: AssertAuthentic;
  /** The waiting requests, including the candidate. */
  queue: AcceptedRequest[];
  /** True when a request has arrived since the queue was last checked for superseded ones. */
  hasNewRequests: boolean;
  candidate: Candidate | undefined;
  pendingDecision: (Proven<PromotionDecision> & { outcome: 'approved' | 'rejected' }) | undefined;
  /** The Release whose decision is being recorded. */
  recordedRelease: string | undefined;
  /** An approved Release that a freeze still blocks. */
  approvedRelease: string | undefined;
  manualPromotion: Proven<ManualPromotion> | undefined;
  freeze: ManageZoneInput['freeze'];
  hold: ManageZoneInput['hold'];
  /** The newest version that was ever promoted here, whatever its outcome. */
  newestVersion: string | undefined;
  /** The generation of the Product whose settings have to be applied. */
  settingsGeneration: number | undefined;
  removal: RemoveZoneRequest | undefined;
  /** The workflows that wait until the zone is removed. */
  readonly awaitingRemoval = new Set<string>();
  /** The promotion or settings change in progress. */
  inProgress:
    | {
        request?: AcceptedRequest;
        phase: string;
        scope: CancellationScope;
        /** The write to the gitops repo, which a withdrawal can stop; a version that was written is deployed. */
        write?: CancellationScope;
        withdrawnBy?: string;
      }
    | undefined;
  readonly #enqueue = serialQueue();
  readonly #traces = new WeakMap<AcceptedRequest | ManualPromotion, Context>();

  constructor(input: ManageZoneInput) {
    this.input = input;
    this.intervals = { ...defaultIntervals, ...input.intervals };
    this.queue = [...(input.queue ?? [])];
    this.hasNewRequests = this.queue.length > 0;
    this.approvedRelease = input.approvedRelease;
    this.freeze = input.freeze;
    this.hold = input.hold;
    this.newestVersion = input.newestVersion;
    this.settingsGeneration = input.settingsGeneration;
    this.removal = input.removal;
    if (input.removal?.replyToWorkflowId !== undefined) this.awaitingRemoval.add(input.removal.replyToWorkflowId);
    this.assertAuthentic = createDecisionGuard(
      this.ref,
      async (refusedDecision) => await this.recordZoneState({ refusedDecision }),
    );
  }

  get ref(): { org: string; product: string; zone: string } {
    const { org, product, zone } = this.input;
    return { org, product, zone };
  }

  get releaseAwaitingApproval(): string | undefined {
    const release = this.candidate?.request.release;
    const isAwaited = this.candidate?.recordedBlocker === 'approval' && !this.pendingDecision;
    return isAwaited && release !== undefined && !this.isDecided(release) ? release : undefined;
  }

  /** Reports whether a person has decided on a Release that the queue still contains. */
  isDecided(release: string): boolean {
    return [this.pendingDecision?.release, this.recordedRelease, this.approvedRelease].includes(release);
  }

  /** Keeps the trace of the message that is being handled, because the zone's workflow works for many traces. */
  keepTrace(message: AcceptedRequest | ManualPromotion): void {
    this.#traces.set(message, context.active());
  }

  /** Works in the trace of the message; after the workflow continued as new, in its own. */
  async continueTrace(message: AcceptedRequest | ManualPromotion, work: () => Promise<void>): Promise<void> {
    await context.with(this.#traces.get(message) ?? context.active(), work);
  }

  readZone = async (): ReturnType<Activities['readZone']> =>
    await this.#enqueue(async () => await CancellationScope.nonCancellable(async () => await readZone(this.ref)));

  /** Returns whether the Product has the zone, which may have been added again after its removal. */
  isZoneDesired = async (): Promise<boolean> => await this.#enqueue(async () => await isZoneDesired(this.ref));

  /** Records completely even when the promotion that it belongs to is cancelled. */
  async recordPromotion(request: AcceptedRequest, patch: ZonePatch): Promise<void> {
    const { release, digest, attempt } = request;
    if (this.inProgress?.request === request && patch.phase) this.inProgress.phase = patch.phase;
    const write = async (): Promise<void> => await recordPromotion({ ...this.ref, release, digest, attempt, patch });
    await this.#enqueue(async () => await CancellationScope.nonCancellable(write));
  }

  async recordZoneState(patch: ZoneStatePatch): Promise<void> {
    const write = async (): Promise<void> => await recordZoneState({ ...this.ref, patch });
    await this.#enqueue(async () => await CancellationScope.nonCancellable(write));
  }

  /** Records the outcome of a promotion and reports it to the Release's workflow. */
  async finishPromotion(request: AcceptedRequest, outcome: PromotionOutcome): Promise<void> {
    await this.recordPromotion(request, { ...outcome, waitingFor: null });
    const { replyToWorkflowId, digest, releaseAttempt } = request;
    const report = { zone: this.input.zone, phase: outcome.phase, digest, ...(releaseAttempt && { releaseAttempt }) };
    await signalIfRunning(replyToWorkflowId, async (handle) => await handle.signal(promotionFinishedSignal, report));
  }

  /** Stops a promotion that has not reached the gitops repo. */
  withdrawInProgress({ release, by }: { release: string; by: string }): void {
    if (this.inProgress?.request?.release !== release) return;
    this.inProgress.withdrawnBy = by;
    this.inProgress.write?.cancel();
  }

  dequeue(release: string): AcceptedRequest | undefined {
    const removed = this.queue.find((request) => request.release === release);
    this.queue = this.queue.filter((request) => request !== removed);
    if (this.candidate?.request.release === release) this.candidate = undefined;
    if (this.approvedRelease === release) this.approvedRelease = undefined;
    return removed;
  }
}
