import type { Store } from './store.ts';

/** Wraps a store for read-only views: every read may be answered from the cache. */
export function cachedReads(store: Store): Store {
  const consistency = 'cached';
  return {
    ...store,
    get: (kind, ref) => store.get(kind, ref, { consistency }),
    find: (kind, ref) => store.find(kind, ref, { consistency }),
    list: (kind, options) => store.list(kind, { ...options, consistency }),
  };
}
