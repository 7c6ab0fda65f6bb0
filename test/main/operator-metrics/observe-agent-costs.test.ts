import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { addToLedger } from '../../../activities/agents/usage-ledgers.ts';
import { observeAgentCosts } from '../../../src/main/operator-metrics/observe-agent-costs.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import { openTestStore } from '../../support/open-test-store.ts';

it('reports what the agents of each org have cost today, and their limit if there is one', async () => {
  const store = openTestStore();
  for (const [name, agents] of [
    ['acme', { costUsdPerDay: 5 }],
    ['free', undefined],
  ] as const)
    await store.create(OrganizationKind, {
      metadata: { namespace: systemNamespace, name },
      spec: { codehostAccount: name, gitopsRepo: `${name}/gitops`, ...(agents && { agents }) },
    });
  const usage = { inputTokens: 1000, outputTokens: 50, costMicroUsd: 1_500_000 };
  const days = ['2026-11-23', '2026-11-24', '2026-11-24'];
  for (const [index, day] of days.entries()) {
    const ledger = { org: 'acme', run: `run-${index}`, product: 'shop', agentWorkflow: 'change', day };
    await addToLedger(store, ledger, { step: 'write', turn: 1, role: 'author', model: 'm', usage });
  }
  let now = '2026-11-24T23:59:00Z';
  const registry = new Registry();
  observeAgentCosts(registry, store, () => new Date(now));
  const metrics = await registry.metrics();
  expect(metrics).toContain('delivery_agent_cost_today_usd{org="acme"} 3');
  expect(metrics).toContain('delivery_agent_cost_limit_usd{org="acme"} 5');
  expect(metrics).toContain('delivery_agent_tokens_today{org="acme",direction="input"} 2000');
  expect(metrics).toContain('delivery_agent_tokens_today{org="acme",direction="output"} 100');
  expect(metrics).toContain('delivery_agent_cost_today_usd{org="free"} 0');
  expect(metrics).not.toContain('delivery_agent_cost_limit_usd{org="free"}');
  now = '2026-11-25T00:00:00Z';
  expect(await registry.metrics()).toContain('delivery_agent_cost_today_usd{org="acme"} 0');
});
