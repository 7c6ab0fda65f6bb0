import { patched, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { AgentRoleSpec, AgentStep } from '../../src/rules/agents/kinds.ts';
import type { RoundTrigger } from '../../src/rules/agents/prompts.ts';
import { addUsage } from '../../src/rules/agents/usage.ts';
import { externalApiOptions } from '../activity-options.ts';
import { timestamp } from '../timestamp.ts';
import { waitForGuidance } from './human-steps.ts';
import { ensurePullRequest } from './pull-request.ts';
import { type CompletedTurn, runAgentLoop } from './run-agent-loop.ts';
import type { RunState } from './run-state.ts';

const { deliverDraft } = proxyActivities<Activities>(externalApiOptions);

/** Runs an agent's step and returns once it has passed or failed. */
export async function runAgentStep(state: RunState, step: AgentStep): Promise<void> {
  const role = state.roles[step.role];
  if (!role)
    return await state.failStep(step.name, {
      reason: 'agent-role-missing',
      message: `The AgentRole "${step.role}" did not exist when the run started.`,
      fix: 'Start a new run.',
    });
  const isWritten = hasUndeliveredDraft(state, step);
  await state.recordStep(step.name, {
    phase: 'Running',
    startedAt: timestamp(),
    failure: null,
    finishedAt: null,
    ...(isWritten ? {} : { verdict: null, posts: null }),
  });
  if (!isWritten) await runUntilVerdict(state, step, role);
  if (step.deliver) await deliverStepDraft(state, step);
}

/** A retry after a failed delivery must not repeat the agent's finished work; a step that is repeated writes again. */
function hasUndeliveredDraft(state: RunState, { name, deliver }: AgentStep): boolean {
  const { verdict, posts } = state.getStep(name);
  if (deliver === undefined || verdict?.outcome !== 'done') return false;
  return posts === undefined || !patched('write-again');
}

async function runUntilVerdict(state: RunState, step: AgentStep, role: AgentRoleSpec): Promise<void> {
  let trigger = roundTriggerFor(state, step);
  for (;;) {
    const verdict = await runAgentLoop({
      ...state.ref,
      step: step.name,
      role,
      trigger,
      previousTurns: state.getStep(step.name).turns ?? 0,
      onTurn: async (turn) => await recordTurn(state, step, turn),
      onRetry: async (retrying) => await state.recordStep(step.name, { retrying }),
      firstRetryMs: state.input.intervals?.turnRetryMs,
    });
    if (verdict.outcome !== 'needs-guidance') return;
    await state.recordStep(step.name, { verdict });
    await waitForGuidance(state, step.name, verdict.summary);
    trigger = roundTriggerFor(state, step);
  }
}

function roundTriggerFor(state: RunState, { name, mode }: AgentStep): RoundTrigger {
  const isGuided = state.guidedSteps.delete(name);
  if (state.restartedSteps.delete(name)) return 'restart';
  if (isGuided) return 'guidance';
  return mode === 'change' && (state.getStep(name).reviewRounds ?? 0) > 0 ? 'changes-requested' : 'start';
}

/** One record per turn keeps histories short: each record is a sixth of a turn's history. */
async function recordTurn(
  state: RunState,
  step: AgentStep,
  { turn, usage, headSha, verdict }: CompletedTurn,
): Promise<void> {
  const pullRequest = step.mode === 'change' && headSha !== undefined ? await ensurePullRequest(state, headSha) : {};
  const hasPassed = verdict && verdict.outcome !== 'needs-guidance';
  const outcome = step.deliver ? { verdict } : { phase: 'Succeeded' as const, verdict, finishedAt: timestamp() };
  const status = {
    name: step.name,
    turns: turn,
    usage: addUsage(state.getStep(step.name).usage, usage),
    ...(hasPassed ? outcome : {}),
  };
  await state.record({ ...pullRequest, steps: [status] });
}

/** The service posts the agent's draft, because the agent has no credentials. */
async function deliverStepDraft(state: RunState, step: AgentStep): Promise<void> {
  const posts = await deliverDraft({ ...state.ref, step: step.name });
  await state.recordStep(step.name, { phase: 'Succeeded', posts, finishedAt: timestamp() });
}
