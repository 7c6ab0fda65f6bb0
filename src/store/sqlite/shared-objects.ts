import { LRUCache } from 'lru-cache';
import type { AnyObject } from '../any-object.ts';
import { deepFreeze } from '../deep-freeze.ts';
import type { Database } from './database.ts';

/** Bounds the memory: parsed objects take about twice as much as their text. */
const textLengthMax = 32 * 1024 * 1024;

export type SharedObjects = { read: (rv: number) => AnyObject };

/**
 * Keeps the versions that views read parsed. A stored version never changes, so readers share one object, which is frozen
 * as those of an informer are. Parsing took most of the time of a list.
 */
export function createSharedObjects({ prepare }: Database): SharedObjects {
  const known = new LRUCache<number, AnyObject>({ maxSize: textLengthMax });
  return {
    read: (rv) => {
      const found = known.get(rv);
      if (found) return found;
      const text = String(prepare('SELECT object FROM versions WHERE rv = ?').get(rv)?.['object']);
      const object = deepFreeze(JSON.parse(text) as AnyObject);
      known.set(rv, object, { size: text.length });
      return object;
    },
  };
}
