import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/cluster/**'],
    globalSetup: ['test/support/temporal.ts', 'test/support/bubblewrap.ts'],
    // Mostly they wait for other programs: one beside each processor keeps them all busy.
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
