import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/cluster/**'],
    globalSetup: ['test/support/temporal.ts', 'test/support/bubblewrap.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
