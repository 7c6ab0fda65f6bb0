import type { Store } from './store.ts';

/** The store for whoever only shows what it holds: none of its reads has to be exact. */
export function lastHeard(store: Store): Store {
  const exact = false;
  return {
    ...store,
    get: (kind, ref) => store.get(kind, ref, { exact }),
    find: (kind, ref) => store.find(kind, ref, { exact }),
    list: (kind, options) => store.list(kind, { ...options, exact }),
  };
}
