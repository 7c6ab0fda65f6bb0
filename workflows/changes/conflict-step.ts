import { executeChild } from '@temporalio/workflow';
import type { AgentStep } from '../../src/rules/agents/kinds.ts';
import { addUsage } from '../../src/rules/agents/usage.ts';
import { runAgentStep } from './agent-step.ts';
import { resolveConflictsId } from './messages.ts';
import { awaitGuidance } from './people.ts';
import { isConflicted } from './pull-request.ts';
import type { resolveConflicts } from './resolve-conflicts.ts';
import { type RunState, timestamp } from './run-state.ts';

/** Takes a step that waits for a conflict: a change brings the base into the branch. Skipped where there is none. */
export async function runConflictStep(state: RunState, step: AgentStep): Promise<void> {
  const role = state.roles[step.role];
  const pullRequest = state.status.pullRequest;
  if (!pullRequest || !role || !(await isConflicted(state)))
    return await state.recordStep(step.name, { phase: 'Skipped', finishedAt: timestamp() });
  if (step.mode === 'report') return await runAgentStep(state, step);

  await state.recordStep(step.name, {
    phase: 'Running',
    startedAt: timestamp(),
    verdict: null,
    failure: null,
  });
  for (let guided = false; ; guided = true) {
    const { turns, usage, verdict, ...resolution } = await executeChild<typeof resolveConflicts>('resolveConflicts', {
      workflowId: resolveConflictsId(state.ref),
      args: [
        {
          ...state.ref,
          step: step.name,
          role,
          turnsBefore: state.step(step.name).turns ?? 0,
          guided,
          shown: state.status.pullRequest?.headSha ?? pullRequest.headSha,
        },
      ],
      staticSummary: `Conflicts of ${state.ref.run}, round ${state.status.conflictRounds ?? 1}`,
    });
    await state.recordStep(step.name, {
      turns,
      usage: addUsage(state.step(step.name).usage, usage),
      ...(verdict ? { verdict } : {}),
    });
    if (resolution.headSha !== undefined)
      return await resolved(state, step.name, { ...resolution, headSha: resolution.headSha });
    await awaitGuidance(state, step.name, verdict?.summary ?? 'The conflict was not resolved.');
  }
}

/** A merge that git made by itself keeps the approval; hunks of an agent and commits of others were not seen yet. */
async function resolved(
  state: RunState,
  step: string,
  { headSha, byAgent, beyond }: { headSha: string; byAgent: boolean; beyond?: boolean },
): Promise<void> {
  const { number, url } = state.status.pullRequest ?? { number: 0, url: '' };
  const approvals = byAgent || beyond ? state.steps.filter(({ type }) => type === 'human') : [];
  await state.record({
    pullRequest: { number, url, headSha },
    steps: [
      { name: step, phase: 'Succeeded', finishedAt: timestamp() },
      ...approvals.map(({ name }) => ({ name, phase: 'Pending' as const, decision: null })),
    ],
  });
}
