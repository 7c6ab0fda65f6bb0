import { expect, it } from 'vitest';
import { isQualifiedName } from '../../src/store/assert-valid-object.ts';

it.each([
  ['team', true],
  ['Team_1.a', true],
  ['app.kubernetes.io/managed-by', true],
  [`${'a'.repeat(253)}/${'b'.repeat(63)}`, true],
  [`${'a'.repeat(254)}/name`, false],
  ['b'.repeat(64), false],
  ['Host_1/name', false],
  ['/name', false],
  ['a/b/name', false],
  ['host/', false],
  ['-name', false],
])('accepts %j as the key of a label: %s', (key, isAccepted) => {
  expect(isQualifiedName(key)).toBe(isAccepted);
});
