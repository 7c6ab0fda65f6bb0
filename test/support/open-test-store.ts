import { setImmediate } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';

/**
 * Opens an empty store in memory. Its writes take a moment, as those of a server do: with the store of one machine, which
 * writes before it returns, no test would notice a missing `await`.
 */
export function openMemoryStore(): Store {
  const store = openSqliteStore({ file: ':memory:' });
  const slowly =
    <Args extends unknown[], Result>(write: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      for (let turn = 0; turn < 5; turn += 1) await setImmediate();
      return await write(...args);
    };
  return {
    ...store,
    create: slowly(store.create) as Store['create'],
    replace: slowly(store.replace) as Store['replace'],
    put: slowly(store.put) as Store['put'],
    updateStatus: slowly(store.updateStatus) as Store['updateStatus'],
    delete: slowly(store.delete) as Store['delete'],
    deleteNamespace: slowly(store.deleteNamespace),
  };
}

/** Opens an empty store in memory that is closed when the test ends. */
export function openTestStore(): Store {
  const store = openMemoryStore();
  onTestFinished(async () => await store.close());
  return store;
}
