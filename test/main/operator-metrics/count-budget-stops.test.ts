import { MockActivityEnvironment } from '@temporalio/testing';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { countBudgetStops } from '../../../src/main/operator-metrics/count-budget-stops.ts';

it('counts the turns that a budget stopped, by org and reason, and no other verdicts', async () => {
  const registry = new Registry();
  const interceptor = countBudgetStops(registry);
  const run = async (activityType: string, reason?: string): Promise<void> => {
    const environment = new MockActivityEnvironment({ activityType }, { interceptors: [interceptor] });
    const verdict = { outcome: 'needs-guidance', summary: 'x', ...(reason !== undefined && { reason }) };
    await environment.run(async ({ org }: { org: string }) => ({ org, verdict }), { org: 'acme' });
  };
  await run('runAgentTurn', 'org-budget-exhausted');
  await run('runAgentTurn', 'org-budget-exhausted');
  await run('runAgentTurn', 'run-budget-exhausted');
  await run('runAgentTurn', 'fork-not-writable');
  await run('runAgentTurn');
  await run('mergeBaseBranch', 'org-budget-exhausted');
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('delivery_agent_budget'));
  expect(lines).toEqual([
    'delivery_agent_budget_stops_total{org="acme",reason="org-budget-exhausted"} 2',
    'delivery_agent_budget_stops_total{org="acme",reason="run-budget-exhausted"} 1',
  ]);
});
