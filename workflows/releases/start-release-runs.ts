import { continueAsNew, proxyLocalActivities, sleep, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { runName } from '../../src/rules/changes/run-names.ts';
import { storeOptions } from '../activity-options.ts';
import { runAgentWorkflowStart } from '../changes/messages.ts';
import { startDetached } from '../start-detached.ts';
import type { StartReleaseRunsInput } from './messages.ts';

const { findReleaseTriggers, recordReleaseRun, reserveReleaseRuns } = proxyLocalActivities<Activities>(storeOptions);

const defaultQuotaIntervalMs = 60_000;

/**
 * Starts the AgentWorkflows with a `release.cut` trigger, once per Release. Runs beyond the quota of the org wait until
 * others have finished.
 */
export async function startReleaseRuns(input: StartReleaseRunsInput): Promise<void> {
  const { org, release } = input;
  for (;;) {
    const triggered = await findReleaseTriggers({ org, release: release.name });
    if (triggered.length === 0) return;
    const workflowIds = triggered.map((agentWorkflow) => toStart(input, agentWorkflow).options.workflowId);
    const reserved = await reserveReleaseRuns({ org, workflowIds });
    await startTriggeredRuns(input, triggered.slice(0, reserved));
    if (reserved === triggered.length) return;
    await sleep(input.quotaIntervalMs ?? defaultQuotaIntervalMs);
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof startReleaseRuns>(input);
  }
}

/** Workers of earlier versions start the runs in the workflow of the Release. */
export const startReleaseRunsInline = async (input: StartReleaseRunsInput): Promise<void> =>
  await startTriggeredRuns(input, await findReleaseTriggers({ org: input.org, release: input.release.name }));

const toStart = (
  { org, product, release: { uid, ...release } }: StartReleaseRunsInput,
  agentWorkflow: string,
): ReturnType<typeof runAgentWorkflowStart> => {
  const startedBy = `Release ${release.version}`;
  return runAgentWorkflowStart({ org, product, release, requestId: uid, startedBy, agentWorkflow });
};

/** The runs outlive the workflow that starts them. */
async function startTriggeredRuns(input: StartReleaseRunsInput, triggered: string[]): Promise<void> {
  const { org, product, release } = input;
  for (const agentWorkflow of triggered) {
    // The run's name ends with its run id at the server; there is none when the Release already has its run.
    const seed = await startDetached(toStart(input, agentWorkflow));
    if (seed === undefined) continue;
    const run = runName({ agentWorkflow, product, seed });
    await recordReleaseRun({ org, release: release.name, releaseRun: { agentWorkflow, run } });
  }
}
