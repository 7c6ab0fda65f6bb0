import { expect, it } from 'vitest';
import { deliveryName } from '../../../src/rules/intake/delivery-name.ts';

it('sorts newest first by name', () => {
  const times = ['2026-01-03', '2026-01-02', '2025-12-31', '2001-01-01'];
  const names = times.map((at) => deliveryName({ agentWorkflow: 'change', at: new Date(at), id: 'x' }));
  expect(names.toSorted()).toEqual(names);
});

it('differs for two deliveries of the same time', () => {
  const at = new Date('2026-01-01');
  const names = ['a', 'b'].map((id) => deliveryName({ agentWorkflow: 'change', at, id }));
  expect(new Set(names).size).toBe(2);
});
