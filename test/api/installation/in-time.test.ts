import { expect, it } from 'vitest';
import { inTime } from '../../../api/installation/in-time.ts';

const countTimers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

it('returns the result of a check, and leaves no timer behind', async () => {
  const before = countTimers();
  const results = await Promise.all(
    Array.from({ length: 50 }, async () => await inTime(Promise.resolve('done'), { timeoutMs: 600_000, late: 'late' })),
  );
  expect(new Set(results)).toEqual(new Set(['done']));
  expect(countTimers()).toBeLessThan(before + 50);
});

it('fails with a check that fails', async () => {
  await expect(inTime(Promise.reject(new Error('away')), { timeoutMs: 600_000, late: 'late' })).rejects.toThrow('away');
});

it('returns another value for a check that takes too long', async () => {
  expect(await inTime(new Promise(() => {}), { timeoutMs: 1, late: 'late' })).toBe('late');
});
