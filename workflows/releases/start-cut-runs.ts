import { WorkflowIdReusePolicy, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { runName } from '../../src/rules/changes/run-names.ts';
import { store } from '../activity-options.ts';
import { type RunAgentWorkflowInput, runAgentWorkflowId, runSummary } from '../changes/messages.ts';
import type { runAgentWorkflow } from '../changes/run-agent-workflow.ts';
import { searchAttributes } from '../search-attributes.ts';
import { startApart } from '../start-apart.ts';

const { matchReleaseCut, recordCutRun } = proxyLocalActivities<Activities>(store);

type Cut = { org: string; product: string; release: { name: string; version: string } };

/** Starts what waits for the tag of a Release (`release.cut`), each once for that version; they go on by themselves. */
export async function startCutRuns({ org, product, release }: Cut): Promise<void> {
  for (const agentWorkflow of await matchReleaseCut({ org, release: release.name })) {
    const input: RunAgentWorkflowInput = {
      org,
      agentWorkflow,
      product,
      release,
      startedBy: `Release ${release.version}`,
    };
    // The run's id at the server, which its name ends with; none where the version has had its run.
    const seed = await startApart<typeof runAgentWorkflow>('runAgentWorkflow', {
      workflowId: runAgentWorkflowId(input),
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      args: [input],
      typedSearchAttributes: searchAttributes({ org, product, targetKind: 'release' }),
      ...runSummary(input),
    });
    if (seed === undefined) continue;
    const run = runName({ agentWorkflow, product, seed });
    await recordCutRun({ org, release: release.name, cutRun: { agentWorkflow, run } });
  }
}
