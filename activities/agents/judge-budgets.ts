import type { PricedModel } from '../../src/integrations/models/models.ts';
import { budgetReached } from '../../src/rules/agents/budgets.ts';
import { AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import type { TurnLedger } from '../../src/rules/agents/ledger-kinds.ts';
import { totalCosts } from '../../src/rules/agents/sum-costs.ts';
import type { AgentWorkflowRun } from '../../src/rules/changes/kinds.ts';
import type { Store } from '../../src/store/store.ts';
import { ledgersOfDay, ledgersOfRun } from './ledger.ts';
import type { Turn } from './turn.ts';

/** Why the model may not be asked now, in words for a person; the ledgers are read only where a limit needs them. */
export async function limitBefore(
  { deps: { store }, assignment, at }: Turn,
  { model, openedAt }: { model: PricedModel; openedAt: string | undefined },
): Promise<string | undefined> {
  const { org, run, role, agents } = assignment;
  const perRun = await costUsdPerRun(store, run);
  const perDay = agents.costUsdPerDay;
  const [ofRun, ofDay] = await Promise.all([
    perRun === undefined ? [] : ledgersOfRun(store, org, run.metadata.name),
    perDay === undefined ? [] : ledgersOfDay(store, org, at.slice(0, 10)),
  ]);
  const reached = budgetReached({
    model,
    step: { limits: role.limits, secondsSinceOpened: (Date.parse(at) - Date.parse(openedAt ?? at)) / 1000 },
    run: { agentWorkflow: run.spec.agentWorkflow, costUsdMax: perRun, costMicroUsd: costOf(ofRun) },
    day: { org, costUsdMax: perDay, costMicroUsd: costOf(ofDay) },
  });
  return reached && `${reached.reason} ${reached.fix}`;
}

const costOf = (ledgers: TurnLedger[]): number => totalCosts(ledgers).usage.costMicroUsd ?? 0;

/** As the AgentWorkflow says now, so that a person can raise it while the run waits. */
async function costUsdPerRun(store: Store, { metadata, spec }: AgentWorkflowRun): Promise<number | undefined> {
  const now = await store.find(AgentWorkflowKind, { namespace: metadata.namespace, name: spec.agentWorkflow });
  return (now ? now.spec.limits : spec.limits)?.costUsdPerRun;
}
