import { expect, it } from 'vitest';
import { startOrgWorkflows } from '../../../src/main/worker/start-org-workflows.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { createReconcileDeps } from '../../reconcile/reconcile-fixture.ts';
import { buildSlo } from '../../rules/slos/build-slo.ts';

it('wakes the loops of each org with SLOs once, because a start may have been lost', async () => {
  const { deps, calls } = await createReconcileDeps();
  for (const [org, name, slos] of [
    ['acme', 'shop', [buildSlo()]],
    ['acme', 'desk', [buildSlo()]],
    ['zebra', 'farm', []],
  ] as const)
    await deps.store.create(ProductKind, {
      metadata: { namespace: `org-${org}`, name },
      spec: { repos: [], delivery: { zones: [] }, slos: [...slos] },
    });
  await startOrgWorkflows(deps.store, deps.temporal);
  expect(calls).toMatchObject([
    { type: 'reconcileSloRules', workflowId: 'reconcile-slo-rules/acme', signal: 'slosChanged' },
    { type: 'reconcileIncidents', workflowId: 'reconcile-incidents/acme', signal: 'alertRulesChanged' },
  ]);
});
