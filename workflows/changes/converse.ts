import { ActivityFailure, ApplicationFailure, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { AgentRoleSpec } from '../../src/rules/agents/kinds.ts';
import { limitReached } from '../../src/rules/agents/step-limits.ts';
import { addUsage, noUsage } from '../../src/rules/agents/usage.ts';
import type { Usage, Verdict } from '../../src/rules/changes/kinds.ts';
import { agent } from '../activity-options.ts';

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
  for (let turns = 0; ; turns += 1) {
    const limit = limitReached(role, { turns, usage });
    if (limit) return { outcome: 'needs-guidance', summary: `${limit.reason} ${limit.fix}` };
    const turn = conversation.turnsBefore + turns + 1;
    const result = await takeTurn({ org, run, step, turn, ...(opening ? { opening } : {}) });
    if (!result.usage) return result;
    opening = undefined;
    usage = addUsage(usage, result.usage);
    const verdict = result.done ? result.verdict : undefined;
    await conversation.onTurn({ turn, usage: result.usage, headSha: result.headSha, verdict });
    if (verdict) return verdict;
  }
}

type TurnInput = { org: string; run: string; step: string; turn: number; opening?: Opening };

async function takeTurn(
  input: TurnInput,
): Promise<Awaited<ReturnType<Activities['agentTurn']>> | (Verdict & { usage?: never })> {
  try {
    return await agentTurn.executeWithOptions({ summary: `${input.step} · turn ${input.turn}` }, [input]);
  } catch (error) {
    // A refused key or a host without a sandbox is for a person to mend: the work so far is kept.
    const cause = error instanceof ActivityFailure ? error.cause : undefined;
    if (!(cause instanceof ApplicationFailure) || !['forbidden', 'unavailable'].includes(cause.type ?? '')) throw error;
    return { outcome: 'needs-guidance', summary: cause.message };
  }
}
