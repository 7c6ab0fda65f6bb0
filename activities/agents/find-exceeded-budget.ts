import type { PricedModel } from '../../src/integrations/models/models.ts';
import { type BudgetViolation, budgetViolation } from '../../src/rules/agents/budget-violation.ts';
import { AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import type { TurnLedger } from '../../src/rules/agents/ledger-kinds.ts';
import { totalCosts } from '../../src/rules/agents/sum-costs.ts';
import type { AgentWorkflowRun } from '../../src/rules/changes/kinds.ts';
import type { Store } from '../../src/store/store.ts';
import { listDayLedgers, listRunLedgers } from './usage-ledgers.ts';
import type { TurnContext } from './turn.ts';

/** Returns the budget that forbids a request to the model now; reads only the ledgers that a limit needs. */
export async function findExceededBudget(
  { deps: { store }, assignment, at }: TurnContext,
  { model, roundStartedAt }: { model: PricedModel; roundStartedAt: string | undefined },
): Promise<BudgetViolation | undefined> {
  const { org, run, role, orgLimits } = assignment;
  const runBudgetUsd = await findRunBudgetUsd(store, run);
  const dayBudgetUsd = orgLimits.costUsdPerDay;
  const [runLedgers, dayLedgers] = await Promise.all([
    runBudgetUsd === undefined ? [] : listRunLedgers(store, org, run.metadata.name),
    dayBudgetUsd === undefined ? [] : listDayLedgers(store, org, at.slice(0, 10)),
  ]);
  return budgetViolation({
    model,
    step: {
      limits: role.limits,
      elapsedSeconds: (Date.parse(at) - Date.parse(roundStartedAt ?? at)) / 1000,
    },
    run: {
      agentWorkflow: run.spec.agentWorkflow,
      costUsdMax: runBudgetUsd,
      costMicroUsd: totalCostMicroUsd(runLedgers),
    },
    day: { costUsdMax: dayBudgetUsd, costMicroUsd: totalCostMicroUsd(dayLedgers) },
  });
}

const totalCostMicroUsd = (ledgers: TurnLedger[]): number => totalCosts(ledgers).usage.costMicroUsd ?? 0;

/** The AgentWorkflow's current limit counts, so that a person can raise it while the run waits. */
async function findRunBudgetUsd(store: Store, { metadata, spec }: AgentWorkflowRun): Promise<number | undefined> {
  const current = await store.find(AgentWorkflowKind, { namespace: metadata.namespace, name: spec.agentWorkflow });
  return (current ? current.spec.limits : spec.limits)?.costUsdPerRun;
}
