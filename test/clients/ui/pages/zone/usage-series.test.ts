import { expect, it } from 'vitest';
import { formatValue, toUsage } from '../../../../../src/clients/ui/pages/zone/usage-series.ts';

const point = (second: number, memoryBytes?: number) => ({
  at: `2026-11-19T14:00:${String(second).padStart(2, '0')}.000Z`,
  ...(memoryBytes !== undefined && { memoryBytes }),
});
const mib = 2 ** 20;

it('aligns the pods to the same times, with gaps, in a unit that fits', () => {
  const pods = [
    { name: 'a', points: [point(0, 100 * mib), point(15, 300 * mib)] },
    { name: 'b', points: [point(15, 200 * mib), point(30)] },
  ];
  const usage = toUsage({ pods }, 'memoryBytes');
  expect(usage.unit).toEqual({ size: mib, name: 'MiB' });
  expect(usage.times).toHaveLength(3);
  expect(usage.pods.map(({ values }) => values)).toEqual([
    [100, 300, null],
    [null, 200, null],
  ]);
  expect(usage.pods[0]?.summary).toEqual({ min: 100, mean: 200, max: 300, last: 300 });
  expect(usage.summary).toEqual({ min: 100, mean: 200, max: 300, last: 250 });
});

it('has no facts without a measurement', () => {
  expect(toUsage({ pods: [{ name: 'a', points: [point(0)] }] }, 'cpuCores').summary).toBeUndefined();
});

it.each([
  [0.214, '0.21'],
  [4.61, '4.6'],
  [322.4, '322'],
])('formats %f as %s', (value, text) => {
  expect(formatValue(value)).toBe(text);
});
