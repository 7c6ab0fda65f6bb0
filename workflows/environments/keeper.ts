import type { CancellationScope } from '@temporalio/workflow';
import { CancellationScope as Scope, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { ZoneStatePatch } from '../../src/rules/environments/zone-state.ts';
import type { ZonePatch } from '../../src/rules/releases/release-status.ts';
import { store } from '../activity-options.ts';
import { inOrder } from '../in-order.ts';
import { zoneSettled } from '../releases/messages.ts';
import { tell } from '../tell.ts';
import type { Arrival, EnvironmentPace, KeepEnvironmentInput, PromotionByHand, PromotionDecision } from './messages.ts';

const { readZone, recordZone, recordZoneState } = proxyLocalActivities<Activities>(store);

const usualPace: EnvironmentPace = { healthyWithinMs: 10 * 60_000, smokeCheckEveryMs: 1_000 };

export type Outcome = ZonePatch & { phase: NonNullable<ZonePatch['phase']> };

/** What is known of a zone between messages: handlers write it, the loop acts on it. */
export class Keeper {
  readonly input: KeepEnvironmentInput;
  readonly pace: EnvironmentPace;
  /** Those at the door, the one that is asked about included. */
  waiting: Arrival[];
  /** Whether somebody came since the waiting were last looked through. */
  cameAnew: boolean;
  /** The newest of the waiting, once it was asked what it needs to come in. */
  door: { arrival: Arrival; asksApproval: boolean; shown: string } | undefined;
  decision: (PromotionDecision & { outcome: 'approved' | 'rejected' }) | undefined;
  /** The Release that a person let in and something else still holds up. */
  approved: string | undefined;
  byHand: PromotionByHand | undefined;
  freeze: KeepEnvironmentInput['freeze'];
  hold: KeepEnvironmentInput['hold'];
  /** The newest version that was ever brought in, whatever became of it. */
  newest: string | undefined;
  /** The generation of the Product whose settings are to be applied. */
  settings: number | undefined;
  removal: { by: string; tell?: string; filesMayStay?: boolean } | undefined;
  /** What is under way: a Release on its way in, or settings. */
  underWay: { release?: string; phase: string; scope: CancellationScope } | undefined;
  readonly #inOrder = inOrder();

  constructor(input: KeepEnvironmentInput) {
    this.input = input;
    this.pace = { ...usualPace, ...input.pace };
    this.waiting = [...(input.waiting ?? [])];
    this.cameAnew = this.waiting.length > 0;
    this.approved = input.approved;
    this.freeze = input.freeze;
    this.hold = input.hold;
    this.newest = input.newest;
  }

  get ref(): { org: string; product: string; zone: string } {
    const { org, product, zone } = this.input;
    return { org, product, zone };
  }

  /** The Release that waits for a person's approval. */
  get asking(): string | undefined {
    return this.door?.shown === 'approval' && !this.decision ? this.door.arrival.release : undefined;
  }

  read = async (): ReturnType<Activities['readZone']> =>
    await this.#inOrder(async () => await Scope.nonCancellable(async () => await readZone(this.ref)));

  /** What is written is written, also when what it is about is broken off. */
  async record({ release }: Arrival, patch: ZonePatch): Promise<void> {
    if (this.underWay?.release === release && patch.phase) this.underWay.phase = patch.phase;
    await this.#inOrder(
      async () => await Scope.nonCancellable(async () => await recordZone({ ...this.ref, release, patch })),
    );
  }

  async recordState(patch: ZoneStatePatch): Promise<void> {
    await this.#inOrder(
      async () => await Scope.nonCancellable(async () => await recordZoneState({ ...this.ref, patch })),
    );
  }

  /** Writes how it ended for a Release here, and tells the Release. */
  async settle(arrival: Arrival, outcome: Outcome): Promise<void> {
    await this.record(arrival, { ...outcome, waitingFor: null });
    const settled = { zone: this.input.zone, phase: outcome.phase };
    // A Release of before its workflow was noted on it: nobody waits for word of it.
    if (arrival.tell === '') return;
    await tell(arrival.tell, async (handle) => await handle.signal(zoneSettled, settled));
  }

  /** Takes a Release from the door. */
  leaveDoor(release: string): Arrival | undefined {
    const leaving = this.waiting.find((arrival) => arrival.release === release);
    this.waiting = this.waiting.filter((arrival) => arrival !== leaving);
    if (this.door?.arrival.release === release) this.door = undefined;
    if (this.approved === release) this.approved = undefined;
    return leaving;
  }
}
