import { expect, it } from 'vitest';
import { boundedCache } from '../../../api/http/bounded-cache.ts';

it('forgets the entry that was used longest ago', () => {
  const cache = boundedCache<number>(2);
  cache.set('one', 1).set('two', 2);
  expect(cache.get('one')).toBe(1);
  cache.set('three', 3);
  expect([...cache.keys()]).toEqual(['three', 'one']);
});
