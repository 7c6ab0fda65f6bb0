import type { Registry } from 'prom-client';
import { TurnLedgerKind } from '../../rules/agents/ledger-kinds.ts';
import { totalCosts } from '../../rules/agents/sum-costs.ts';
import { type Organization, OrganizationKind } from '../../rules/orgs/kinds.ts';
import { orgNamespace, systemNamespace } from '../../rules/resource.ts';
import { cachedReads } from '../../store/cached-reads.ts';
import type { Store } from '../../store/store.ts';
import { type Reading, registerGauges } from './register-gauges.ts';

const gauges = {
  delivery_agent_cost_today_usd: { help: 'Cost of the agents of an org on this day (UTC)', labelNames: ['org'] },
  delivery_agent_cost_limit_usd: {
    help: 'Daily cost limit of the agents of an org; absent without a limit',
    labelNames: ['org'],
  },
  delivery_agent_tokens_today: {
    help: 'Tokens that the agents of an org used on this day (UTC)',
    labelNames: ['org', 'direction'],
  },
};
type AgentCostReading = Reading<keyof typeof gauges>;

/** Reports the costs of agents and their limits, from the ledgers that the limits are checked with. */
export function observeAgentCosts(registry: Registry, store: Store, now: () => Date): void {
  const views = cachedReads(store);
  registerGauges(registry, gauges, {
    source: 'agent-costs',
    async read() {
      const day = now().toISOString().slice(0, 10);
      const { items: orgs } = await views.list(OrganizationKind, { namespace: systemNamespace });
      return (await Promise.all(orgs.map((org) => readOrg(views, org, day)))).flat();
    },
  });
}

async function readOrg(store: Store, { metadata, spec }: Organization, day: string): Promise<AgentCostReading[]> {
  const org = metadata.name;
  const ledgers = await store.list(TurnLedgerKind, { namespace: orgNamespace(org), fields: { 'spec.day': day } });
  const { inputTokens, outputTokens, costMicroUsd = 0 } = totalCosts(ledgers.items).usage;
  const limit = spec.agents?.costUsdPerDay;
  return [
    { gauge: 'delivery_agent_cost_today_usd', labels: { org }, value: costMicroUsd / 1_000_000 },
    { gauge: 'delivery_agent_tokens_today', labels: { org, direction: 'input' }, value: inputTokens },
    { gauge: 'delivery_agent_tokens_today', labels: { org, direction: 'output' }, value: outputTokens },
    ...(limit === undefined
      ? []
      : [{ gauge: 'delivery_agent_cost_limit_usd' as const, labels: { org }, value: limit }]),
  ];
}
