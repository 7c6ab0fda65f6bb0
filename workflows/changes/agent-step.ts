import { patched, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { AgentRoleSpec, AgentStep } from '../../src/rules/agents/kinds.ts';
import { addUsage } from '../../src/rules/agents/usage.ts';
import { outside } from '../activity-options.ts';
import { type Opening, type Turn, converse } from './converse.ts';
import { awaitGuidance } from './people.ts';
import { pullRequestAt } from './pull-request.ts';
import { type RunState, timestamp } from './run-state.ts';

const { deliverDraft } = proxyActivities<Activities>(outside);

/** Has an agent do its step; it comes back when the step has passed or failed. */
export async function runAgentStep(state: RunState, step: AgentStep): Promise<void> {
  const role = state.roles[step.role];
  if (!role)
    return await state.failStep(
      step.name,
      `There was no AgentRole "${step.role}" when the run started.`,
      'Start a new run.',
    );
  // Only its draft did not get where it belongs: the agent's work is done.
  const isWritten = step.deliver !== undefined && state.step(step.name).verdict?.outcome === 'done';
  await state.recordStep(step.name, {
    phase: 'Running',
    startedAt: timestamp(),
    failure: null,
    finishedAt: null,
    ...(isWritten ? {} : { verdict: null }),
  });
  if (!isWritten) await haveItDone(state, step, role);
  if (step.deliver) await deliver(state, step);
}

async function haveItDone(state: RunState, step: AgentStep, role: AgentRoleSpec): Promise<void> {
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
  const ending = step.deliver ? { verdict } : { phase: 'Succeeded' as const, verdict, finishedAt: timestamp() };
  const status = {
    name: step.name,
    turns: turn,
    usage: addUsage(state.step(step.name).usage, usage),
    ...(passed ? ending : {}),
  };
  // Runs that had begun before it was one write go on with two.
  if (!shown.pullRequest || patched('turn-in-one-record')) return await state.record({ ...shown, steps: [status] });
  await state.record(shown);
  await state.record({ steps: [status] });
}

/** What an agent wrote is brought by the service, which has the rights that the agent has not. */
async function deliver(state: RunState, step: AgentStep): Promise<void> {
  const posts = await deliverDraft({ ...state.ref, step: step.name });
  await state.recordStep(step.name, { phase: 'Succeeded', posts, finishedAt: timestamp() });
}
