import { ActivityFailure, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { StepSpec } from '../../src/rules/agents/kinds.ts';
import { givenPullRequest } from '../../src/rules/changes/run-names.ts';
import { outside } from '../activity-options.ts';
import { reasonOf } from '../reason-of.ts';
import type { RunState } from './run-state.ts';

const { readTarget } = proxyActivities<Activities>(outside);

/** The run is about a pull request that somebody opened. */
export const isGiven = ({ input }: RunState): boolean => givenPullRequest(input.target) !== undefined;

/** Reads what the run is about; answers why it cannot where the code host has no such thing. */
export async function noteTarget(state: RunState): Promise<string | undefined> {
  if (state.status.issue || !state.input.target) return undefined;
  try {
    const found = await readTarget(state.ref);
    if (!found) return undefined;
    const { pullRequest, ...issue } = found;
    await state.record({ issue, ...(pullRequest ? { pullRequest } : {}) });
    return undefined;
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
    return reasonOf(error).message;
  }
}

export async function failFirst(state: RunState, [first]: StepSpec[], missing: string): Promise<void> {
  const kind = isGiven(state) ? 'an open pull request' : 'an issue that is there';
  if (first) await state.failStep(first.name, missing, `Start a run on ${kind}.`);
}
