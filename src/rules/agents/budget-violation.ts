import type { FailureReason } from '../failure-reasons.ts';
import type { AgentRoleSpec } from './kinds.ts';

/** The budgets that are checked before a turn, with the usage so far. */
export type Budgets = {
  model: { name: string; isPriced: boolean };
  step: { limits: AgentRoleSpec['limits']; elapsedSeconds: number };
  run: { agentWorkflow: string; costUsdMax: number | undefined; costMicroUsd: number };
  day: { costUsdMax: number | undefined; costMicroUsd: number };
};

export type BudgetViolation = { reason: FailureReason; message: string; fix: string };

/** Returns the budget that forbids the next turn, and how to continue. Parallel steps share the budgets of the run and the day. */
export function budgetViolation({ model, step, run, day }: Budgets): BudgetViolation | undefined {
  const isMoneyLimited = [step.limits?.costUsd, run.costUsdMax, day.costUsdMax].some((limit) => limit !== undefined);
  if (isMoneyLimited && !model.isPriced) {
    const fix = 'Ask an org admin to set its price (Settings, Models), then give guidance to continue.';
    const message = `Costs are limited, but the model "${model.name}" has no known price.`;
    return { reason: 'model-price-unknown', message, fix };
  }
  const seconds = step.limits?.seconds;
  if (seconds !== undefined && step.elapsedSeconds >= seconds) {
    const fix = `${workKeptNote} Give guidance to grant the same time again, or raise the time limit of the AgentRole (Settings, AgentRoles) for future runs.`;
    return { reason: 'time-limit-reached', message: `The step has used its ${seconds} seconds.`, fix };
  }
  if (isExhausted(run)) {
    const fix = `${workKeptNote} Raise the cost limit per run of the AgentWorkflow "${run.agentWorkflow}" (Settings, AgentWorkflows), then give guidance to continue.`;
    const message = `The run has spent ${formatUsd(run.costMicroUsd)} of its limit of $${run.costUsdMax}.`;
    return { reason: 'run-budget-exhausted', message, fix };
  }
  if (isExhausted(day)) {
    const fix = `${workKeptNote} Give guidance to continue tomorrow (UTC), or ask an org admin to raise the cost limit per day (Settings, Models).`;
    const message = `The org's agents have spent ${formatUsd(day.costMicroUsd)} of today's limit of $${day.costUsdMax}.`;
    return { reason: 'org-budget-exhausted', message, fix };
  }
  return undefined;
}

const workKeptNote = 'The work so far stays on the branch of the run.';

const isExhausted = ({ costUsdMax, costMicroUsd }: { costUsdMax: number | undefined; costMicroUsd: number }): boolean =>
  costUsdMax !== undefined && costMicroUsd >= costUsdMax * 1_000_000;

const formatUsd = (costMicroUsd: number): string => `$${(costMicroUsd / 1_000_000).toFixed(2)}`;
