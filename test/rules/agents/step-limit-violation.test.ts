import { expect, it } from 'vitest';
import { stepLimitViolation } from '../../../src/rules/agents/step-limit-violation.ts';

const used = (turns: number, tokens: number) => ({ turns, usage: { inputTokens: tokens - 10, outputTokens: 10 } });
const costing = (costMicroUsd: number) => ({ turns: 1, usage: { inputTokens: 1, outputTokens: 1, costMicroUsd } });

it.each([
  [{}, used(49, 1_999_999), /^none$/],
  [{}, used(50, 10), /^turn-limit-reached: .*all of its 50 turns.*limit of turns/],
  [{}, used(1, 2_000_000), /^token-limit-reached: .*2000000 of its 2000000 tokens.*limit of tokens/],
  [{ limits: { turns: 3 } }, used(2, 1_000_000), /^none$/],
  [{ limits: { turns: 3 } }, used(3, 10), /all of its 3 turns/],
  [{ limits: { costUsd: 0.5 } }, costing(499_999), /^none$/],
  [{ limits: { costUsd: 0.5 } }, costing(500_000), /^cost-limit-reached: .*its limit of \$0.5.*limit of costs/],
  [{ limits: { tokens: 1000 } }, used(1, 1200), /1200 of its 1000 tokens/],
])('checks %j after %j', (role, usage, expected) => {
  const violation = stepLimitViolation(role, usage);
  expect(violation ? `${violation.reason}: ${violation.message} ${violation.fix}` : 'none').toMatch(expected);
});
