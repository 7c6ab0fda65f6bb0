import { expect, it } from 'vitest';
import { wakeSloLoops } from '../../src/reconcile/wake-slo-loops.ts';
import { buildSlo } from '../rules/slos/build-slo.ts';
import { buildSloProduct } from '../rules/slos/build-slo-product.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

const observability = { phase: 'Ready' as const, message: 'Ready.', checkedAt: '2026-01-01T00:00:00Z' };

it.each([
  ['a Product with SLOs', buildSloProduct([buildSlo()]), undefined, true],
  ['a Product that had SLOs', buildSloProduct([]), buildSloProduct([buildSlo()]), true],
  ['a Product whose rules were checked', { ...buildSloProduct([]), status: { observability } }, undefined, true],
  ['a Product without any', buildSloProduct([]), undefined, false],
])('signals the loops of the org for %s: %#', async (_, product, before, isWoken) => {
  const { deps, calls } = await createReconcileDeps();
  await wakeSloLoops(deps, product, before);
  const loops = [
    { type: 'reconcileSloRules', workflowId: 'reconcile-slo-rules/acme', signal: 'slosChanged' },
    { type: 'reconcileIncidents', workflowId: 'reconcile-incidents/acme', signal: 'alertRulesChanged' },
  ];
  expect(calls).toEqual(isWoken ? loops : []);
});
