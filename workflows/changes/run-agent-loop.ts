import {
  ActivityFailure,
  type ActivityOptions,
  ApplicationFailure,
  TimeoutFailure,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import type { RunAgentTurnInput } from '../../activities/agents/turn.ts';
import type { Activities } from '../../activities/index.ts';
import type { AgentRoleSpec } from '../../src/rules/agents/kinds.ts';
import type { RoundTrigger } from '../../src/rules/agents/prompts.ts';
import { stepLimitViolation } from '../../src/rules/agents/step-limit-violation.ts';
import { addUsage, noUsage } from '../../src/rules/agents/usage.ts';
import type { Usage, Verdict } from '../../src/rules/changes/kinds.ts';
import { agentTurnOptions, checkoutHostOptions } from '../activity-options.ts';
import { toErrorCode } from '../failures.ts';
import { agentsTaskQueue } from '../task-queues.ts';

const { runAgentTurn } = proxyActivities<Activities>(agentTurnOptions);

export type CompletedTurn = {
  turn: number;
  usage: Usage;
  headSha: string | undefined;
  verdict: Verdict | undefined;
};

export type AgentLoopInput = {
  org: string;
  run: string;
  step: string;
  role: AgentRoleSpec;
  trigger: RoundTrigger;
  /** Turns of earlier rounds: the numbering continues, and the limits apply to this round only. */
  previousTurns: number;
  onTurn(turn: CompletedTurn): Promise<void>;
};

/** Runs turns until the agent returns a verdict, or until a limit or a refusal requires a person's guidance. */
export async function runAgentLoop({ org, run, step, role, ...round }: AgentLoopInput): Promise<Verdict> {
  let trigger: RoundTrigger | undefined = round.trigger;
  let usage = noUsage;
  let host: string | undefined;
  for (let turns = 0; ; turns += 1) {
    const limit = stepLimitViolation(role, { turns, usage });
    if (limit) return { outcome: 'needs-guidance', reason: limit.reason, summary: `${limit.message} ${limit.fix}` };
    const turn = round.previousTurns + turns + 1;
    const result = await runTurn({ org, run, step, turn, ...(trigger ? { trigger } : {}) }, host);
    if (!result.usage) return result;
    host = result.host;
    trigger = undefined;
    usage = addUsage(usage, result.usage);
    const verdict = result.done ? result.verdict : undefined;
    await round.onTurn({ turn, usage: result.usage, headSha: result.headSha, verdict });
    if (verdict) return verdict;
  }
}

type TurnResult = Awaited<ReturnType<Activities['runAgentTurn']>>;

async function runTurn(
  input: RunAgentTurnInput,
  host: string | undefined,
): Promise<TurnResult | (Verdict & { usage?: never })> {
  try {
    return host === undefined ? await runTurnAnywhere(input) : await runTurnOnHost(host, input);
  } catch (error) {
    // A person has to fix a refused API key or a host without a sandbox; the run keeps its work until then.
    const cause = error instanceof ActivityFailure ? error.cause : undefined;
    if (!(cause instanceof ApplicationFailure) || !isFixableByPerson(cause)) throw error;
    return { outcome: 'needs-guidance', summary: cause.message };
  }
}

const isFixableByPerson = (failure: ApplicationFailure): boolean =>
  ['forbidden', 'unavailable'].includes(toErrorCode(failure) ?? '');

/** Prefers the host that holds the checkout; when it is gone or busy, another host creates a new checkout. */
async function runTurnOnHost(host: string, input: RunAgentTurnInput): Promise<TurnResult> {
  try {
    const taskQueue = agentsTaskQueue(workflowInfo().taskQueue, host);
    return await executeTurn(input, { ...checkoutHostOptions, taskQueue });
  } catch (error) {
    const cause = error instanceof ActivityFailure ? error.cause : undefined;
    if (!(cause instanceof TimeoutFailure) || cause.timeoutType !== 'SCHEDULE_TO_START') throw error;
    return await runTurnAnywhere(input);
  }
}

const runTurnAnywhere = async (input: RunAgentTurnInput): Promise<TurnResult> =>
  await executeTurn(input, { taskQueue: agentsTaskQueue(workflowInfo().taskQueue) });

const executeTurn = async (input: RunAgentTurnInput, options: ActivityOptions): Promise<TurnResult> =>
  await runAgentTurn.executeWithOptions({ ...options, summary: `${input.step} · turn ${input.turn}` }, [input]);
