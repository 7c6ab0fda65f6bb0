import { executeChild } from '@temporalio/workflow';
import type { AgentStep } from '../../src/rules/agents/kinds.ts';
import { addUsage } from '../../src/rules/agents/usage.ts';
import type { RunStatus } from '../../src/rules/changes/kinds.ts';
import { timestamp } from '../timestamp.ts';
import { toChildOptions } from '../workflow-start.ts';
import { waitForGuidance } from './human-steps.ts';
import { type ConflictResolution, type ResolveConflictsInput, resolveConflictsStart } from './messages.ts';
import { isConflicted } from './pull-request.ts';
import { runAgentStep } from './run-agent-step.ts';
import type { RunState } from './run-state.ts';

/** Runs a step that only a conflict triggers: it merges the base into the branch, and is skipped without a conflict. */
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
    finishedAt: null,
  });
  for (let hasGuidance = false; ; hasGuidance = true) {
    const { turns, usage, verdict, ...resolution } = await runResolution({
      ...state.ref,
      product: state.input.product,
      step: step.name,
      role,
      round: state.status.conflictRounds ?? 1,
      previousTurns: state.getStep(step.name).turns ?? 0,
      hasGuidance,
      reviewedSha: state.status.pullRequest?.headSha ?? pullRequest.headSha,
    });
    await state.recordStep(step.name, {
      turns,
      usage: addUsage(state.getStep(step.name).usage, usage),
      ...(verdict ? { verdict } : {}),
    });
    if (resolution.headSha !== undefined)
      return await recordResolution(state, step.name, { ...pullRequest, headSha: resolution.headSha }, resolution);
    await waitForGuidance(state, step.name, verdict?.summary ?? 'The conflict was not resolved.');
  }
}

async function runResolution(input: ResolveConflictsInput): Promise<ConflictResolution> {
  const start = resolveConflictsStart(input);
  return await executeChild<NonNullable<typeof start.signature>>(start.type, toChildOptions(start));
}

/** A clean merge keeps the approval; an agent's edits and other people's commits need a new one. */
async function recordResolution(
  state: RunState,
  step: string,
  pullRequest: NonNullable<RunStatus['pullRequest']>,
  { resolvedByAgent, hasUnreviewedCommits }: Pick<ConflictResolution, 'resolvedByAgent' | 'hasUnreviewedCommits'>,
): Promise<void> {
  const approvals = resolvedByAgent || hasUnreviewedCommits ? state.steps.filter(({ type }) => type === 'human') : [];
  await state.record({
    pullRequest,
    steps: [
      { name: step, phase: 'Succeeded', finishedAt: timestamp() },
      ...approvals.map(({ name }) => ({ name, phase: 'Pending' as const, decision: null })),
    ],
  });
}
