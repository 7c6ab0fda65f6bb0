import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { DecisionProof } from '../../src/rules/access/decisions.ts';
import type { ReleaseZone } from '../../src/rules/releases/kinds.ts';
import { promoteReleaseId } from '../../src/rules/releases/promote-release-id.ts';
import { startAttributes } from '../start-attributes.ts';
import { defaultTaskQueue } from '../task-queues.ts';
import type { WorkflowStart } from '../workflow-start.ts';

export type PromoteReleaseInput = {
  org: string;
  product: string;
  repo: string;
  commit: string;
  /** The AgentWorkflowRun that merged the commit. */
  run?: string;
  /** `vX.Y.Z` when a person chose it; otherwise Conventional Commits decide. */
  version?: string;
  startedBy: string;
  /** Continues the Release from its status, without another build and without requesting its promotions again. */
  resume?: { release: string };
};

/** Returns the Release's name once the resource exists. */
export const waitForReleaseUpdate = defineUpdate<{ release: string }, []>('waitForRelease');
export const cancelReleaseUpdate = defineUpdate<void, [{ by: string }, DecisionProof?]>('cancelRelease');
export type PromotionReport = {
  zone: string;
  phase: ReleaseZone['phase'];
  digest?: string;
  releaseAttempt?: string;
};
/** Reports how the promotion to one zone ended; the zone's workflow sends it, also to a later attempt of the Release. */
export const promotionFinishedSignal = defineSignal<[PromotionReport]>('promotionFinished');
export type ReleaseProgress = { phase: string; zone: string | undefined };
export const releaseProgressQuery = defineQuery<ReleaseProgress>('releaseProgress');

export const promoteReleaseStart = (
  input: PromoteReleaseInput,
): WorkflowStart<(input: PromoteReleaseInput) => Promise<void>> => ({
  type: 'promoteRelease',
  options: {
    workflowId: promoteReleaseId(input),
    args: [input],
    taskQueue: defaultTaskQueue,
    workflowIdConflictPolicy: 'FAIL',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    ...startAttributes({ org: input.org, product: input.product, targetKind: 'release' }),
    staticSummary: `${input.product}: release ${input.version ?? input.commit.slice(0, 12)}`,
    staticDetails: `Org **${input.org}**, ${input.repo} at ${input.commit}, started by ${input.startedBy}.`,
  },
});

export type StartReleaseRunsInput = {
  org: string;
  product: string;
  release: { name: string; version: string; uid: string };
  /** The time until runs beyond the quota of the org are tried again. */
  quotaIntervalMs?: number;
};

/** The id has the uid, because the version may have belonged to a deleted Product of the same name. */
export const startReleaseRunsStart = (
  input: StartReleaseRunsInput,
): WorkflowStart<(input: StartReleaseRunsInput) => Promise<void>> => ({
  type: 'startReleaseRuns',
  options: {
    workflowId: `start-release-runs/${input.org}/${input.product}/${input.release.uid}`,
    args: [input],
    taskQueue: defaultTaskQueue,
    workflowIdConflictPolicy: 'FAIL',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    ...startAttributes({ org: input.org, product: input.product, targetKind: 'release' }),
    staticSummary: `${input.product}: runs of ${input.release.version}`,
    staticDetails: `Starts the runs that Release **${input.release.name}** of org **${input.org}** triggers.`,
  },
});
