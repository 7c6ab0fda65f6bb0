import { expect, it } from 'vitest';
import { findCause } from '../../../src/rules/incidents/find-cause.ts';
import type { Promotion } from '../../../src/rules/promotions/kinds.ts';

const openedAt = '2026-11-24T12:00:00.000Z';
const promotion = (name: string, healthyAt?: string): Promotion =>
  ({ metadata: { name }, spec: { release: name, version: 'v1.0.0' }, status: { healthyAt } }) as Promotion;

it('finds the last Promotion that was healthy before, at most 24 hours ago', () => {
  const promotions = [
    promotion('earlier', '2026-11-24T10:00:00.000Z'),
    promotion('last', '2026-11-24T11:00:00.000Z'),
    promotion('later', '2026-11-24T12:00:00.001Z'),
    promotion('failed'),
  ];
  expect(findCause(promotions, openedAt)).toMatchObject({ name: 'last', release: 'last', version: 'v1.0.0' });
});

it.each([
  ['2026-11-23T12:00:00.000Z', true],
  ['2026-11-23T11:59:59.999Z', false],
  [openedAt, true],
])('counts a Promotion that was healthy at %s: %s', (healthyAt, counts) => {
  expect(findCause([promotion('one', healthyAt)], openedAt) !== undefined).toBe(counts);
});
