import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { ReleaseZone } from '../../src/rules/releases/kinds.ts';

export type PromoteReleaseInput = {
  org: string;
  product: string;
  repo: string;
  commit: string;
  /** The AgentWorkflowRun whose merge this is. */
  run?: string;
  /** `vX.Y.Z` where a person named it; else Conventional Commits decide. */
  version?: string;
  startedBy: string;
};

/** Answers the Release's name once the resource exists. */
export const releaseOpened = defineUpdate<{ release: string }, []>('releaseOpened');
export const cancelRelease = defineUpdate<void, [{ by: string }]>('cancelRelease');
/** From the zone's keeper: how a Release fared there. */
export const zoneSettled = defineSignal<[{ zone: string; phase: ReleaseZone['phase'] }]>('zoneSettled');
export type ReleaseProgress = { phase: string; zone: string | undefined };
export const releaseProgress = defineQuery<ReleaseProgress>('progress');

/** One Release at a time per commit. */
export const promoteReleaseId = (input: { org: string; product: string; commit: string }): string =>
  `promote-release/${input.org}/${input.product}/${input.commit}`;
