import type { Usage } from '../changes/kinds.ts';
import type { AgentRoleSpec } from './kinds.ts';

const defaultLimits = { turns: 50, tokens: 2_000_000 };

/** Says which limit of its AgentRole a step has reached, and what it would take to go on. */
export function limitReached(
  role: Pick<AgentRoleSpec, 'limits'>,
  spent: { turns: number; usage: Usage },
): { reason: string; fix: string } | undefined {
  const turns = role.limits?.turns ?? defaultLimits.turns;
  const tokens = role.limits?.tokens ?? defaultLimits.tokens;
  const tokensUsed = spent.usage.inputTokens + spent.usage.outputTokens;
  if (spent.turns >= turns) {
    return { reason: `The step has taken all of its ${turns} turns.`, fix: raise('turns') };
  }
  if (tokensUsed >= tokens) {
    return { reason: `The step has used ${tokensUsed} of its ${tokens} tokens.`, fix: raise('tokens') };
  }
  const costUsd = role.limits?.costUsd;
  if (costUsd !== undefined && (spent.usage.costMicroUsd ?? 0) >= costUsd * 1_000_000) {
    return { reason: `The step has cost all of its $${costUsd}.`, fix: raise('costUsd') };
  }
  return undefined;
}

const raise = (limit: keyof NonNullable<AgentRoleSpec['limits']>): string =>
  `Its work is kept on the run's branch. Give guidance to let it go on for as much again, or raise limits.${limit} of the AgentRole for the runs to come.`;
