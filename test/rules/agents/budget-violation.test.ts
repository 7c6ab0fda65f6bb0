import { expect, it } from 'vitest';
import { type Budgets, budgetViolation } from '../../../src/rules/agents/budget-violation.ts';

type More = { [Part in keyof Budgets]?: Partial<Budgets[Part]> };
const budgets = ({ model, step, run, day }: More): Budgets => ({
  model: { name: 'm', isPriced: true, ...model },
  step: { limits: {}, elapsedSeconds: 0, ...step },
  run: { agentWorkflow: 'change', costUsdMax: undefined, costMicroUsd: 0, ...run },
  day: { costUsdMax: undefined, costMicroUsd: 0, ...day },
});

it.each<[More, RegExp]>([
  [{ run: { costMicroUsd: 5_000_000 } }, /^none$/],
  [{ run: { costUsdMax: 2, costMicroUsd: 1_999_999 } }, /^none$/],
  [
    { run: { costUsdMax: 2, costMicroUsd: 2_000_000 } },
    /^run-budget-exhausted: .*spent \$2\.00 of its limit of \$2\. .*the cost limit per run of the AgentWorkflow "change"/,
  ],
  [
    { day: { costUsdMax: 10, costMicroUsd: 12_345_678 } },
    /^org-budget-exhausted: .*spent \$12\.35 of today's limit of \$10\..*tomorrow.*the cost limit per day/,
  ],
  [{ step: { limits: { seconds: 60 }, elapsedSeconds: 59 } }, /^none$/],
  [
    { step: { limits: { seconds: 60 }, elapsedSeconds: 60 } },
    /^time-limit-reached: .*its 60 seconds.*raise the time limit/,
  ],
  [{ model: { isPriced: false } }, /^none$/],
  [
    { model: { isPriced: false }, step: { limits: { costUsd: 1 } } },
    /^model-price-unknown: .*"m" has no known price.*Settings, Models/,
  ],
  [{ model: { isPriced: false }, run: { costUsdMax: 1 } }, /no known price/],
  [{ model: { isPriced: false }, day: { costUsdMax: 1 } }, /no known price/],
])('returns the violation of %j', (more, expected) => {
  const violation = budgetViolation(budgets(more));
  expect(violation ? `${violation.reason}: ${violation.message} ${violation.fix}` : 'none').toMatch(expected);
});
