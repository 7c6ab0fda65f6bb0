import { proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { runName } from '../../src/rules/changes/run-names.ts';
import { storeOptions } from '../activity-options.ts';
import { runAgentWorkflowStart } from '../changes/messages.ts';
import { startDetached } from '../start-detached.ts';

const { findReleaseTriggers, recordReleaseRun } = proxyLocalActivities<Activities>(storeOptions);

type TaggedRelease = { org: string; product: string; release: { name: string; version: string; uid: string } };

/** Starts the AgentWorkflows with a `release.cut` trigger, once per Release; the runs outlive the Release's workflow. */
export async function startReleaseRuns({ org, product, release: { uid, ...release } }: TaggedRelease): Promise<void> {
  const start = { org, product, release, requestId: uid, startedBy: `Release ${release.version}` };
  for (const agentWorkflow of await findReleaseTriggers({ org, release: release.name })) {
    // The run's name ends with its run id at the server; there is none when the Release already has its run.
    const seed = await startDetached(runAgentWorkflowStart({ ...start, agentWorkflow }));
    if (seed === undefined) continue;
    const run = runName({ agentWorkflow, product, seed });
    await recordReleaseRun({ org, release: release.name, releaseRun: { agentWorkflow, run } });
  }
}
