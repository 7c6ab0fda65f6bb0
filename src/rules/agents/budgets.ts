import type { AgentRoleSpec } from './kinds.ts';

/** What is judged before a turn, as far as it is limited; money in millionths of a dollar. */
export type Budgets = {
  model: { name: string; isPriced: boolean };
  step: { limits: AgentRoleSpec['limits']; secondsSinceOpened: number };
  run: { agentWorkflow: string; costUsdMax: number | undefined; costMicroUsd: number };
  day: { org: string; costUsdMax: number | undefined; costMicroUsd: number };
};

type Reached = { reason: string; fix: string };

/** Says which limit stands before the next turn, and what it would take to go on; all the parallel steps share them. */
export function budgetReached({ model, step, run, day }: Budgets): Reached | undefined {
  const isMoneyLimited = [step.limits?.costUsd, run.costUsdMax, day.costUsdMax].some((limit) => limit !== undefined);
  if (isMoneyLimited && !model.isPriced) {
    const fix = `An org-admin sets its price with PUT /v1/orgs/${day.org}/models/prices; then give guidance to go on.`;
    return { reason: `Costs are limited, and the model "${model.name}" has no known price.`, fix };
  }
  const seconds = step.limits?.seconds;
  if (seconds !== undefined && step.secondsSinceOpened >= seconds) {
    const fix = `${kept} Give guidance to let it go on for as long again, or raise limits.seconds of the AgentRole for the runs to come.`;
    return { reason: `The step has taken its ${seconds} seconds.`, fix };
  }
  if (isSpent(run)) {
    const fix = `${kept} Raise limits.costUsdPerRun of the AgentWorkflow "${run.agentWorkflow}", then give guidance to go on.`;
    return { reason: `The run has cost ${shown(run.costMicroUsd)} of its $${run.costUsdMax}.`, fix };
  }
  if (isSpent(day)) {
    const fix = `${kept} Give guidance to go on tomorrow (UTC), or after an org-admin has raised costUsdPerDay with PUT /v1/orgs/${day.org}/agent-limits.`;
    return { reason: `The org's agents have cost ${shown(day.costMicroUsd)} of their $${day.costUsdMax} today.`, fix };
  }
  return undefined;
}

const kept = "Its work is kept on the run's branch.";

const isSpent = ({ costUsdMax, costMicroUsd }: { costUsdMax: number | undefined; costMicroUsd: number }): boolean =>
  costUsdMax !== undefined && costMicroUsd >= costUsdMax * 1_000_000;

const shown = (costMicroUsd: number): string => `$${(costMicroUsd / 1_000_000).toFixed(2)}`;
