import { expect, it } from 'vitest';
import { type Budgets, budgetReached } from '../../../src/rules/agents/budgets.ts';

type More = { [Part in keyof Budgets]?: Partial<Budgets[Part]> };
const budgets = ({ model, step, run, day }: More): Budgets => ({
  model: { name: 'm', isPriced: true, ...model },
  step: { limits: {}, secondsSinceOpened: 0, ...step },
  run: { agentWorkflow: 'change', costUsdMax: undefined, costMicroUsd: 0, ...run },
  day: { org: 'acme', costUsdMax: undefined, costMicroUsd: 0, ...day },
});

it.each<[More, RegExp]>([
  [{ run: { costMicroUsd: 5_000_000 } }, /^not reached$/],
  [{ run: { costUsdMax: 2, costMicroUsd: 1_999_999 } }, /^not reached$/],
  [
    { run: { costUsdMax: 2, costMicroUsd: 2_000_000 } },
    /cost \$2\.00 of its \$2\. .*costUsdPerRun of the AgentWorkflow "change"/,
  ],
  [{ day: { costUsdMax: 10, costMicroUsd: 12_345_678 } }, /cost \$12\.35 of their \$10 today.*tomorrow.*costUsdPerDay/],
  [{ step: { limits: { seconds: 60 }, secondsSinceOpened: 59 } }, /^not reached$/],
  [{ step: { limits: { seconds: 60 }, secondsSinceOpened: 60 } }, /its 60 seconds.*limits\.seconds/],
  [{ model: { isPriced: false } }, /^not reached$/],
  [{ model: { isPriced: false }, step: { limits: { costUsd: 1 } } }, /"m" has no known price.*models\/prices/],
  [{ model: { isPriced: false }, run: { costUsdMax: 1 } }, /no known price/],
  [{ model: { isPriced: false }, day: { costUsdMax: 1 } }, /no known price/],
])('%j', (more, expected) => {
  const reached = budgetReached(budgets(more));
  expect(reached ? `${reached.reason} ${reached.fix}` : 'not reached').toMatch(expected);
});
