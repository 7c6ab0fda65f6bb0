import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Configures the attacks, which share one platform. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/red-team/*.test.ts'],
    globalSetup: ['test/support/global-setup/bubblewrap.ts', 'test/red-team/start-world.ts'],
    reporters: ['default', 'test/red-team/count-attacks.ts'],
    isolate: false,
    maxWorkers: '150%',
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
