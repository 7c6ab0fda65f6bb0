import { onTestFinished } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';

/** Opens an empty store in memory that is closed when the test ends. */
export function openTestStore(): Store {
  const store = openSqliteStore({ file: ':memory:' });
  onTestFinished(async () => await store.close());
  return store;
}
