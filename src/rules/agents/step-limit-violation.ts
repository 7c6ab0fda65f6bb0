import type { Usage } from '../changes/kinds.ts';
import type { FailureReason } from '../failure-reasons.ts';
import type { AgentRoleSpec } from './kinds.ts';

/** The reached limit, and how to continue. */
export type StepLimitViolation = { reason: FailureReason; message: string; fix: string };

const defaultLimits = { turns: 50, tokens: 2_000_000 };

/** Returns the limit of its AgentRole that a step has reached, and how to continue. */
export function stepLimitViolation(
  role: Pick<AgentRoleSpec, 'limits'>,
  used: { turns: number; usage: Usage },
): StepLimitViolation | undefined {
  const turns = role.limits?.turns ?? defaultLimits.turns;
  const tokens = role.limits?.tokens ?? defaultLimits.tokens;
  const tokensUsed = used.usage.inputTokens + used.usage.outputTokens;
  if (used.turns >= turns) {
    const message = `The step has used all of its ${turns} turns.`;
    return { reason: 'turn-limit-reached', message, fix: raiseLimitFix('turns') };
  }
  if (tokensUsed >= tokens) {
    const message = `The step has used ${tokensUsed} of its ${tokens} tokens.`;
    return { reason: 'token-limit-reached', message, fix: raiseLimitFix('tokens') };
  }
  const costUsd = role.limits?.costUsd;
  if (costUsd !== undefined && (used.usage.costMicroUsd ?? 0) >= costUsd * 1_000_000) {
    const message = `The step has spent its limit of $${costUsd}.`;
    return { reason: 'cost-limit-reached', message, fix: raiseLimitFix('costs') };
  }
  return undefined;
}

const raiseLimitFix = (limit: 'turns' | 'tokens' | 'costs'): string =>
  `The work so far stays on the branch of the run. Give guidance to continue with the same limit again, or raise the AgentRole's limit of ${limit} (Settings, AgentRoles) for future runs.`;
