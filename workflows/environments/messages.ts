import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { FreezeStatus, HoldStatus } from '../../src/rules/environments/zone-state.ts';

export type Arrival = {
  release: string;
  version: string;
  commit: string;
  digest: string;
  /** The promoteRelease workflow to tell how it went. */
  tell: string;
};

export type KeepEnvironmentInput = {
  org: string;
  product: string;
  zone: string;
  /** Carried over when the loop continues as new. */
  waiting?: Arrival[];
  freeze?: FreezeStatus;
  hold?: HoldStatus;
  newest?: string;
  approved?: string;
  /** How long the app may take to get healthy, and how often it is asked whether it answers. */
  pace?: Partial<EnvironmentPace>;
};
export type EnvironmentPace = { healthyWithinMs: number; smokeCheckEveryMs: number };

export type PromotionDecision = { release: string; by: string; role: string; note?: string };
export type PromotionByHand = { arrival: Arrival; by: string; role: string; note?: string; despiteFreeze?: boolean };

/** A Release has come to the zone's door; doing it twice changes nothing. */
export const arrive = defineSignal<[Arrival]>('arrive');
export const approvePromotion = defineUpdate<void, [PromotionDecision]>('approvePromotion');
export const rejectPromotion = defineUpdate<void, [PromotionDecision]>('rejectPromotion');
/** A person brings a Release in, past the queue; an older one than runs there is the rollback, and holds the newer ones. */
export const promote = defineUpdate<void, [PromotionByHand]>('promote');
/** Nothing comes in until it is lifted, by a person or at its time. */
export const freeze = defineUpdate<void, [FreezeStatus]>('freeze');
export const unfreeze = defineUpdate<void, [{ by: string }]>('unfreeze');
/** The zone's settings have changed in the Product's spec. */
export const applySettings = defineSignal<[{ generation: number }]>('applySettings');
/** The Release is cancelled: it leaves the queue, or ends before its next effect. */
export const withdraw = defineSignal<[{ release: string; by: string }]>('withdraw');
/** Takes the zone down, tells the asking workflow, if any, with `zoneRemoved`, and ends the loop. */
export const remove = defineSignal<[{ by: string; tell?: string; filesMayStay?: boolean }]>('remove');
export const zoneRemoved = defineSignal<[{ zone: string }]>('zoneRemoved');

export type EnvironmentProgress = { release: string | undefined; phase: string; waiting: string[] };
export const environmentProgress = defineQuery<EnvironmentProgress>('progress');

/** One change at a time per zone. */
export const keepEnvironmentId = (input: { org: string; product: string; zone: string }): string =>
  `keep-environment/${input.org}/${input.product}/${input.zone}`;

export type TakeScreenshotInput = {
  org: string;
  product: string;
  zone: string;
  release: string;
  pace?: { takenUpWithinMs: number };
};

/** One picture of a Release in a zone at a time. */
export const takeScreenshotId = ({ org, zone, release }: TakeScreenshotInput): string =>
  `take-screenshot/${org}/${release}/${zone}`;
