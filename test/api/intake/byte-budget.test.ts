import { expect, it } from 'vitest';
import { ByteBudget } from '../../../api/intake/byte-budget.ts';

const kib = 1024;

it('fits bodies up to the last byte, and large ones into three quarters of it', () => {
  const budget = new ByteBudget(1024 * kib);
  expect([budget.fits(768 * kib), budget.fits(768 * kib + 1)]).toEqual([true, false]);
  budget.hold(768 * kib);
  expect([budget.fits(256 * kib), budget.fits(256 * kib + 1)]).toEqual([true, false]);
  budget.hold(1);
  expect([budget.fits(256 * kib), budget.fits(256 * kib - 1)]).toEqual([false, true]);
  budget.release(768 * kib + 1);
  expect(budget.usedBytes).toBe(0);
});

it('counts no byte of a body twice', () => {
  const budget = new ByteBudget(1024 * kib);
  budget.hold(768 * kib);
  expect([budget.fits(768 * kib), budget.fits(768 * kib, 768 * kib)]).toEqual([false, true]);
});
