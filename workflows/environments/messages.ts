import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';

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
  /** How long the app may take to get healthy, and how often it is asked whether it answers. */
  pace?: Partial<EnvironmentPace>;
};
export type EnvironmentPace = { healthyWithinMs: number; smokeCheckEveryMs: number };

export type PromotionDecision = { release: string; by: string; role: string; note?: string };

/** A Release has come to the zone's door; doing it twice changes nothing. */
export const arrive = defineSignal<[Arrival]>('arrive');
export const approvePromotion = defineUpdate<void, [PromotionDecision]>('approvePromotion');
export const rejectPromotion = defineUpdate<void, [PromotionDecision]>('rejectPromotion');
/** The Release is cancelled: it leaves the queue, or ends before its next effect. */
export const withdraw = defineSignal<[{ release: string; by: string }]>('withdraw');
/** Takes the zone down, tells the asking workflow with `zoneRemoved`, and ends the loop. */
export const remove = defineSignal<[{ by: string; tell: string }]>('remove');
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
