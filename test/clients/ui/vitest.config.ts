import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The tests of the web UI in a browser: `npm run test:ui -- axe` runs the files whose name contains "axe". */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../../..', import.meta.url)),
    include: ['test/clients/ui/*.test.ts'],
    globalSetup: ['test/support/global-setup/browser-profiles.ts'],
    isolate: false,
    maxWorkers: 3,
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 600_000,
    hookTimeout: 240_000,
  },
});
