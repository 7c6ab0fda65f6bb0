import { patched } from '@temporalio/workflow';
import type { AgentStep } from '../../src/rules/agents/kinds.ts';
import { addUsage } from '../../src/rules/agents/usage.ts';
import { type Opening, type Turn, converse } from './converse.ts';
import { awaitGuidance } from './people.ts';
import { pullRequestAt } from './pull-request.ts';
import { type RunState, timestamp } from './run-state.ts';

/** Has an agent do its step; it comes back when the step has passed or failed. */
export async function runAgentStep(state: RunState, step: AgentStep): Promise<void> {
  const role = state.roles[step.role];
  if (!role)
    return await state.failStep(
      step.name,
      `There was no AgentRole "${step.role}" when the run started.`,
      'Start a new run.',
    );
  await state.recordStep(step.name, {
    phase: 'Running',
    startedAt: timestamp(),
    verdict: null,
    failure: null,
    finishedAt: null,
  });
  let opening = openingOf(state, step);
  for (;;) {
    const verdict = await converse({
      ...state.ref,
      step: step.name,
      role,
      opening,
      turnsBefore: state.step(step.name).turns ?? 0,
      onTurn: async (turn) => await recordTurn(state, step, turn),
    });
    if (verdict.outcome !== 'needs-guidance') return;
    await state.recordStep(step.name, { verdict });
    await awaitGuidance(state, step.name, verdict.summary);
    opening = 'guidance';
  }
}

function openingOf(state: RunState, { name, mode }: AgentStep): Opening {
  if (state.guided.delete(name)) return 'guidance';
  return mode === 'change' && (state.step(name).rounds ?? 0) > 0 ? 'changes-requested' : 'start';
}

/** All that a turn says is written in one: each write is a sixth of a turn's history. */
async function recordTurn(state: RunState, step: AgentStep, { turn, usage, headSha, verdict }: Turn): Promise<void> {
  const shown = step.mode === 'change' && headSha !== undefined ? await pullRequestAt(state, headSha) : {};
  const passed = verdict && verdict.outcome !== 'needs-guidance';
  const status = {
    name: step.name,
    turns: turn,
    usage: addUsage(state.step(step.name).usage, usage),
    ...(passed ? { phase: 'Succeeded' as const, verdict, finishedAt: timestamp() } : {}),
  };
  // Runs that had begun before it was one write go on with two.
  if (!shown.pullRequest || patched('turn-in-one-record')) return await state.record({ ...shown, steps: [status] });
  await state.record(shown);
  await state.record({ steps: [status] });
}
