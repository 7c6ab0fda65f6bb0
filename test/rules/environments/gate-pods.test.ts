import { expect, it } from 'vitest';
import { isGatePod } from '../../../src/rules/environments/gate-pods.ts';

it.each([
  ['shop', 'shop-gate-5d7f9c8b6-x2x4z', true],
  ['shop', 'shop-5d7f9c8b6-x2x4z', false],
  ['shop-gate', 'shop-gate-5d7f9c8b6-x2x4z', false],
  ['shop-gate', 'shop-gate-gate-5d7f9c8b6-x2x4z', true],
])('the gate of %s has the pod %s: %s', (product, pod, expected) => {
  expect(isGatePod({ product, pod })).toBe(expected);
});
