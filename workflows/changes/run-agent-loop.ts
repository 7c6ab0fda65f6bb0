import {
  ActivityFailure,
  type ActivityOptions,
  ApplicationFailure,
  TimeoutFailure,
  proxyActivities,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { RunAgentTurnInput } from '../../activities/agents/turn.ts';
import type { Activities } from '../../activities/index.ts';
import type { AgentRoleSpec } from '../../src/rules/agents/kinds.ts';
import type { RoundTrigger } from '../../src/rules/agents/prompts.ts';
import { stepLimitViolation } from '../../src/rules/agents/step-limit-violation.ts';
import { addUsage, noUsage } from '../../src/rules/agents/usage.ts';
import { turnRetryDelayMs } from '../../src/rules/agents/turn-retry.ts';
import type { StepRetry, Usage, Verdict } from '../../src/rules/changes/kinds.ts';
import { agentTurnOptions, checkoutHostOptions } from '../activity-options.ts';
import { toErrorCode, toReason, toRetryAfterMs } from '../failures.ts';
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
  /** Called before the loop waits for a system that is unavailable, and with null after the wait has ended. */
  onRetry(retry: StepRetry | null): Promise<void>;
  /** The first wait for a system that is unavailable. */
  firstRetryMs?: number | undefined;
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
    const input = { org, run, step, turn, ...(trigger ? { trigger } : {}) };
    const result = await runTurnWithRetries(input, host, round);
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
type GuidanceVerdict = Verdict & { usage?: never };

/** The workflow itself waits between attempts, so that the run shows the reason; a long outage ends in guidance. */
async function runTurnWithRetries(
  input: RunAgentTurnInput,
  host: string | undefined,
  { onRetry, firstRetryMs }: Pick<AgentLoopInput, 'onRetry' | 'firstRetryMs'>,
): Promise<TurnResult | GuidanceVerdict> {
  for (let attempt = 1; ; attempt += 1) {
    const result = await runTurn(input, host);
    const isAvailable = !(result instanceof ApplicationFailure);
    if (isAvailable && attempt > 1) await onRetry(null);
    if (isAvailable) return result;
    const reason = toReason(result) ?? 'unavailable';
    const delayMs = turnRetryDelayMs({
      attempt,
      reason,
      retryAfterMs: toRetryAfterMs(result),
      firstDelayMs: firstRetryMs,
    });
    if (delayMs === undefined) {
      await onRetry(null);
      const summary = `${result.message} The service tried ${attempt} times. Fix the cause, then retry the step.`;
      return { outcome: 'needs-guidance', summary };
    }
    await onRetry({ message: result.message, attempt, nextAt: new Date(Date.now() + delayMs).toISOString() });
    await sleep(delayMs);
  }
}

/** Returns the failure of a system that is unavailable, and asks for guidance when only a person can fix the cause. */
async function runTurn(
  input: RunAgentTurnInput,
  host: string | undefined,
): Promise<TurnResult | GuidanceVerdict | ApplicationFailure> {
  try {
    return host === undefined ? await runTurnAnywhere(input) : await runTurnOnHost(host, input);
  } catch (error) {
    const cause = error instanceof ActivityFailure ? error.cause : undefined;
    if (!(cause instanceof ApplicationFailure)) throw error;
    const code = toErrorCode(cause);
    if (code === 'unavailable') return cause;
    // A person has to fix a refused API key; the run keeps its work until then.
    if (code !== 'forbidden') throw error;
    return { outcome: 'needs-guidance', summary: cause.message };
  }
}

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
