import {
  ActivityFailure,
  type ActivityOptions,
  ApplicationFailure,
  TimeoutFailure,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { AgentRoleSpec } from '../../src/rules/agents/kinds.ts';
import { limitReached } from '../../src/rules/agents/step-limits.ts';
import { addUsage, noUsage } from '../../src/rules/agents/usage.ts';
import type { Usage, Verdict } from '../../src/rules/changes/kinds.ts';
import { agent, atHost } from '../activity-options.ts';
import { agentsTaskQueue } from '../task-queues.ts';

const { agentTurn } = proxyActivities<Activities>(agent);

export type Opening = 'start' | 'changes-requested' | 'guidance' | 'conflicts';
export type Turn = { turn: number; usage: Usage; headSha: string | undefined; verdict: Verdict | undefined };

export type Conversation = {
  org: string;
  run: string;
  step: string;
  role: AgentRoleSpec;
  opening: Opening;
  /** Turns of earlier rounds: the numbering goes on, the limits start anew. */
  turnsBefore: number;
  onTurn(turn: Turn): Promise<void>;
};

/** Turn after turn until the agent ends its step, or until a limit or a refusal leaves it to a person. */
export async function converse({ org, run, step, role, ...conversation }: Conversation): Promise<Verdict> {
  let opening: Opening | undefined = conversation.opening;
  let usage = noUsage;
  let host: string | undefined;
  for (let turns = 0; ; turns += 1) {
    const limit = limitReached(role, { turns, usage });
    if (limit) return { outcome: 'needs-guidance', summary: `${limit.reason} ${limit.fix}` };
    const turn = conversation.turnsBefore + turns + 1;
    const result = await takeTurn({ org, run, step, turn, ...(opening ? { opening } : {}) }, host);
    if (!result.usage) return result;
    host = result.host;
    opening = undefined;
    usage = addUsage(usage, result.usage);
    const verdict = result.done ? result.verdict : undefined;
    await conversation.onTurn({ turn, usage: result.usage, headSha: result.headSha, verdict });
    if (verdict) return verdict;
  }
}

type TurnInput = { org: string; run: string; step: string; turn: number; opening?: Opening };

type TurnResult = Awaited<ReturnType<Activities['agentTurn']>>;

async function takeTurn(
  input: TurnInput,
  host: string | undefined,
): Promise<TurnResult | (Verdict & { usage?: never })> {
  try {
    return host === undefined ? await takeAnywhere(input) : await takeAt(host, input);
  } catch (error) {
    // A refused key or a host without a sandbox is for a person to mend: the work so far is kept.
    const cause = error instanceof ActivityFailure ? error.cause : undefined;
    if (!(cause instanceof ApplicationFailure) || !['forbidden', 'unavailable'].includes(cause.type ?? '')) throw error;
    return { outcome: 'needs-guidance', summary: cause.message };
  }
}

/** Where the checkout is; if that host has gone or has no time, another makes the checkout anew. */
async function takeAt(host: string, input: TurnInput): Promise<TurnResult> {
  try {
    return await take(input, { ...atHost, taskQueue: agentsTaskQueue(workflowInfo().taskQueue, host) });
  } catch (error) {
    const cause = error instanceof ActivityFailure ? error.cause : undefined;
    if (!(cause instanceof TimeoutFailure) || cause.timeoutType !== 'SCHEDULE_TO_START') throw error;
    return await takeAnywhere(input);
  }
}

const takeAnywhere = async (input: TurnInput): Promise<TurnResult> =>
  await take(input, { taskQueue: agentsTaskQueue(workflowInfo().taskQueue) });

const take = async (input: TurnInput, options: ActivityOptions): Promise<TurnResult> =>
  await agentTurn.executeWithOptions({ ...options, summary: `${input.step} · turn ${input.turn}` }, [input]);
