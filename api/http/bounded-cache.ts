import { LRUCache } from 'lru-cache';

/**
 * Keeps so many entries, and forgets the one that was used longest ago for the next. The option `max` of the library
 * would allocate the memory of all entries at once, which every start of the API would pay for.
 */
export const boundedCache = <V extends object | number | string>(
  entriesMax: number,
  options: { ttl?: number } = {},
): LRUCache<string, V> => new LRUCache<string, V>({ ...options, maxSize: entriesMax, sizeCalculation: () => 1 });
