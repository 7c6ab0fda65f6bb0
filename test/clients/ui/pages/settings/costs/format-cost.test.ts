import { expect, it } from 'vitest';
import { formatCost, formatCount } from '../../../../../../src/clients/ui/pages/settings/costs/format-cost.ts';

it('formats costs in dollars, and never hides a small one', () => {
  expect([0, 1, 10_000, 1_234_567_890].map(formatCost)).toEqual(['$0.00', '< $0.01', '$0.01', '$1,234.57']);
});

it('formats large counts with few digits', () => {
  expect([12, 84_300, 1_200_000].map(formatCount)).toEqual(['12', '84.3K', '1.2M']);
});
