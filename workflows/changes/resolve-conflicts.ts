import { proxyActivities, proxyLocalActivities, setHandler, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { addUsage, noUsage } from '../../src/rules/agents/usage.ts';
import { externalApiOptions, storeOptions } from '../activity-options.ts';
import { agentsTaskQueue } from '../task-queues.ts';
import { type ConflictResolution, type ResolveConflictsInput, runProgressQuery } from './messages.ts';
import { runAgentLoop } from './run-agent-loop.ts';

const { recordRun } = proxyLocalActivities<Activities>(storeOptions);

/** Runs one round: a plain merge of the base branch settles most conflicts, and an agent resolves the rest. */
export async function resolveConflicts(input: ResolveConflictsInput): Promise<ConflictResolution> {
  const { org, run, step, role, previousTurns, hasGuidance, reviewedSha } = input;
  let turns = previousTurns;
  let usage = noUsage;
  let headSha: string | undefined;
  setHandler(runProgressQuery, () => ({ phase: 'Running', step, waitingFor: undefined }));

  const { mergeBaseBranch } = proxyActivities<Activities>({
    ...externalApiOptions,
    taskQueue: agentsTaskQueue(workflowInfo().taskQueue),
  });
  const merge = await mergeBaseBranch({ org, run, ...(reviewedSha ? { reviewedSha } : {}) });
  if (merge.outcome !== 'conflicts') {
    const hasUnreviewedCommits = merge.hasUnreviewedCommits ?? false;
    return { headSha: merge.headSha, resolvedByAgent: false, hasUnreviewedCommits, turns, usage };
  }
  const verdict = await runAgentLoop({
    org,
    run,
    step,
    role,
    previousTurns,
    trigger: hasGuidance ? 'guidance' : 'conflicts',
    onTurn: async (turn) => {
      turns = turn.turn;
      usage = addUsage(usage, turn.usage);
      headSha = turn.headSha;
    },
    onRetry: async (retrying) => await recordRun({ org, run, patch: { steps: [{ name: step, retrying }] } }),
  });
  const isResolved = verdict.outcome === 'done' && headSha !== undefined;
  return { ...(isResolved && headSha ? { headSha } : {}), resolvedByAgent: true, turns, usage, verdict };
}
