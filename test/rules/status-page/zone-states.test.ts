import { expect, it } from 'vitest';
import { worstState } from '../../../src/rules/status-page/zone-states.ts';

it('finds the worst of several states, and none without zones', () => {
  expect(worstState(['operational', 'down', 'degraded'])).toBe('down');
  expect(worstState(['not-released', 'operational'])).toBe('operational');
  expect(worstState([])).toBe('not-released');
});
