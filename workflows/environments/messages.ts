import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { DecisionProof } from '../../src/rules/access/decisions.ts';
import type { FreezeStatus, HoldStatus } from '../../src/rules/environments/zone-state.ts';
import type { PromotionAttempt } from '../../activities/environments/record-promotion.ts';
import type { ScreenshotOutcome } from '../../activities/environments/screenshot-activities.ts';
import { startAttributes } from '../start-attributes.ts';
import { defaultTaskQueue } from '../task-queues.ts';
import type { WorkflowStart } from '../workflow-start.ts';

export type PromotionRequest = {
  release: string;
  version: string;
  commit: string;
  digest: string;
  /** The promoteRelease workflow that receives the outcome. */
  replyToWorkflowId: string;
  /** The attempt of the Release that sends the request; a person's promotion belongs to none. */
  releaseAttempt?: string;
};

/** A request that the zone has accepted; each attempt has a Promotion of its own. */
export type AcceptedRequest = PromotionRequest & { attempt: PromotionAttempt; overrideFreeze?: boolean };

export type ManageZoneInput = {
  org: string;
  product: string;
  zone: string;
  /** Carried over when the loop continues as new. */
  queue?: AcceptedRequest[];
  freeze?: FreezeStatus;
  hold?: HoldStatus;
  newestVersion?: string;
  approvedRelease?: string;
  settingsGeneration?: number;
  /** Given when the loop resumes from the resources of a backup. */
  removal?: RemoveZoneRequest;
  intervals?: Partial<ZoneIntervals>;
};
/** The time that the app may take to become healthy, and the interval of smoke checks. */
export type ZoneIntervals = {
  healthyTimeoutMs: number;
  smokeCheckIntervalMs: number;
  /** The limit and the interval of attempts to merge what the rules of the gitops branch block. */
  mergeWaitMs?: number;
  mergeRetryMs?: number;
};

/** Each decision carries the proof that the API authorized it. */
export type PromotionDecision = { release: string; by: string; role: string; note?: string };
export type ManualPromotion = {
  request: PromotionRequest;
  by: string;
  role: string;
  note?: string;
  overrideFreeze?: boolean;
};
export type RemoveZoneRequest = {
  by: string;
  /** The workflow that receives `zoneRemovedSignal`. */
  replyToWorkflowId?: string;
};

/** Adds an attempt of a Release to the zone's queue; sending it twice has no effect. */
export const enqueueSignal = defineSignal<[PromotionRequest]>('enqueue');
export const approvePromotionUpdate = defineUpdate<void, [PromotionDecision, DecisionProof?]>('approvePromotion');
export const rejectPromotionUpdate = defineUpdate<void, [PromotionDecision, DecisionProof?]>('rejectPromotion');
/** Promotes a Release past the queue; an older version than the newest is a rollback, and holds newer ones. */
export const promoteManuallyUpdate = defineUpdate<void, [ManualPromotion, DecisionProof?]>('promoteManually');
/** Blocks promotions until the zone is unfrozen by a person or the freeze expires. */
export const freezeZoneUpdate = defineUpdate<void, [FreezeStatus, DecisionProof?]>('freezeZone');
export const unfreezeZoneUpdate = defineUpdate<void, [{ by: string }, DecisionProof?]>('unfreezeZone');
/** Announces new zone settings in the Product's spec. */
export const applySettingsSignal = defineSignal<[{ generation: number }]>('applySettings');
/** Removes a cancelled Release from the queue, or stops its promotion before the next effect. */
export const withdrawSignal = defineSignal<[{ release: string; by: string }]>('withdraw');
/** Tears the zone down and ends the loop. */
export const removeZoneSignal = defineSignal<[RemoveZoneRequest]>('removeZone');
export const zoneRemovedSignal = defineSignal<[{ zone: string }]>('zoneRemoved');

export type ZoneProgress = { release: string | undefined; phase: string; queue: string[] };
export const zoneProgressQuery = defineQuery<ZoneProgress>('zoneProgress');

/** The id allows one change at a time per zone. */
export const manageZoneId = (input: { org: string; product: string; zone: string }): string =>
  `manage-zone/${input.org}/${input.product}/${input.zone}`;

export const manageZoneStart = (input: ManageZoneInput): WorkflowStart<(input: ManageZoneInput) => Promise<void>> => ({
  type: 'manageZone',
  options: {
    workflowId: manageZoneId(input),
    args: [input],
    taskQueue: defaultTaskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    ...startAttributes({ org: input.org, product: input.product, targetKind: 'zone' }),
    staticSummary: `Zone ${input.zone} of ${input.product}`,
    staticDetails: `Org **${input.org}**, Product **${input.product}**.`,
  },
});

export type TakeScreenshotInput = {
  org: string;
  product: string;
  zone: string;
  release: string;
  /** The image that the screenshot shows; a Release that started again may have another one. */
  digest?: string;
  timeouts?: { scheduleToStartMs: number };
};

/** The id allows one screenshot at a time of a Release in a zone, and with `isPerImage` of one of its images. */
export const takeScreenshotStart = (
  input: TakeScreenshotInput,
  { isPerImage = false }: { isPerImage?: boolean } = {},
): WorkflowStart<(input: TakeScreenshotInput) => Promise<ScreenshotOutcome>> => ({
  type: 'takeScreenshot',
  options: {
    workflowId: `take-screenshot/${input.org}/${input.release}/${input.zone}${isPerImage ? `/${input.digest}` : ''}`,
    args: [input],
    taskQueue: defaultTaskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    ...startAttributes({ org: input.org, product: input.product, targetKind: 'zone' }),
    staticSummary: `${input.zone}: screenshot of ${input.release}`,
    staticDetails: `Org **${input.org}**, Product **${input.product}**.`,
  },
});

export type KeepRepositoryAccessInput = { org: string; intervalMs?: number };

/** Announces other credentials of the org's registries, which are handed out at once. */
export const refreshAccessSignal = defineSignal('refreshAccess');

/** Tokens of the code host expire after an hour, so two refreshes can fail. */
export const defaultRefreshIntervalMs = 20 * 60_000;

/** The id allows one loop per org, however often it is started. */
export const keepRepositoryAccessStart = (
  input: KeepRepositoryAccessInput,
): WorkflowStart<(input: KeepRepositoryAccessInput) => Promise<void>> => ({
  type: 'keepRepositoryAccess',
  options: {
    workflowId: `keep-repository-access/${input.org}`,
    args: [input],
    taskQueue: defaultTaskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    ...startAttributes({ org: input.org, targetKind: 'repository-access' }),
    staticSummary: `Access to the repos and registries of ${input.org}`,
    staticDetails: `Refreshes the credentials with which Argo CD, builds and zones read the repos and registries of org **${input.org}**.`,
  },
});
