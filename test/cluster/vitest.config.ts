import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Configures the tests that need a cluster, which are separate because building one takes minutes the first time. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/cluster/**/*.test.ts'],
    globalSetup: [
      'test/cluster/setup.ts',
      'test/support/global-setup/temporal.ts',
      'test/support/global-setup/bubblewrap.ts',
    ],
    // Workers keep the modules that files share.
    isolate: false,
    maxWorkers: 2,
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
