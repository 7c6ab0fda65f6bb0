import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** What needs a cluster, apart from the other tests because making one takes minutes the first time. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/cluster/**/*.test.ts'],
    globalSetup: ['test/cluster/setup.ts', 'test/support/temporal.ts', 'test/support/bubblewrap.ts'],
    // What they measure they would take from each other.
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
