import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TtlCache } from '../../../src/integrations/dns/ttl-cache.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('computes a value once until it expires', async () => {
  const cache = new TtlCache<number>({ ms: 1_000, entries: 10 });
  let computed = 0;
  const compute = async (): Promise<number> => (computed += 1);
  expect(await Promise.all([cache.get('a', compute), cache.get('a', compute)])).toEqual([1, 1]);
  vi.advanceTimersByTime(700);
  expect(await cache.get('a', compute)).toBe(1);
  vi.advanceTimersByTime(301);
  expect(await cache.get('a', compute)).toBe(2);
});

it('does not cache a rejected value', async () => {
  const cache = new TtlCache<number>({ ms: 1_000, entries: 10 });
  await expect(cache.get('a', async () => await Promise.reject(new Error('down')))).rejects.toThrow('down');
  expect(await cache.get('a', async () => 1)).toBe(1);
});

it('drops the oldest entry beyond the limit', async () => {
  const cache = new TtlCache<string>({ ms: 1_000, entries: 2 });
  for (const key of ['a', 'b', 'c']) await cache.get(key, async () => key);
  expect(await cache.take('a')).toBeUndefined();
  expect(await cache.take('c')).toBe('c');
  expect(await cache.take('c')).toBeUndefined();
});
