import { ActivityFailure, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { defined } from '../../src/defined.ts';
import type { StepSpec } from '../../src/rules/agents/kinds.ts';
import { findTargetPullRequest } from '../../src/rules/changes/run-names.ts';
import { externalApiOptions } from '../activity-options.ts';
import { toApplicationFailure } from '../failures.ts';
import type { RunState } from './run-state.ts';

const { readTarget } = proxyActivities<Activities>(externalApiOptions);

/** Reports whether the run works on a pull request that a person opened. */
export const hasTargetPullRequest = ({ input }: RunState): boolean => findTargetPullRequest(input.target) !== undefined;

/** Records the issue or pull request of the run; returns an error message when the code host does not have it. */
export async function recordTarget(state: RunState): Promise<string | undefined> {
  if (state.status.issue || !state.input.target) return undefined;
  try {
    const found = await readTarget(state.ref);
    if (!found) return undefined;
    const { pullRequest, baseBranch, ...issue } = found;
    await state.record({ issue, ...(pullRequest ? { pullRequest } : {}), ...defined({ baseBranch }) });
    return undefined;
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
    return toApplicationFailure(error).message;
  }
}

export async function failFirstStep(state: RunState, [first]: StepSpec[], message: string): Promise<void> {
  const kind = hasTargetPullRequest(state) ? 'an open pull request' : 'an existing issue';
  if (first) await state.failStep(first.name, { reason: 'target-not-found', message, fix: `Start a run on ${kind}.` });
}
