import { expect, it } from 'vitest';
import { wakeSloRules } from '../../src/reconcile/wake-slo-rules.ts';
import { buildSlo } from '../rules/slos/build-slo.ts';
import { buildSloProduct } from '../rules/slos/build-slo-product.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

const observability = { phase: 'Ready' as const, message: 'Ready.', checkedAt: '2026-01-01T00:00:00Z' };

it.each([
  ['a Product with SLOs', buildSloProduct([buildSlo()]), undefined, 1],
  ['a Product that had SLOs', buildSloProduct([]), buildSloProduct([buildSlo()]), 1],
  ['a Product whose rules were checked', { ...buildSloProduct([]), status: { observability } }, undefined, 1],
  ['a Product without any', buildSloProduct([]), undefined, 0],
])('signals the loop of the org for %s: %#', async (_, product, before, count) => {
  const { deps, calls } = await createReconcileDeps();
  await wakeSloRules(deps, product, before);
  const call = { type: 'reconcileSloRules', workflowId: 'reconcile-slo-rules/acme', signal: 'slosChanged' };
  expect(calls).toEqual(Array.from({ length: count }, () => call));
});
