import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const servers = ['bubblewrap', 'browser-profiles'].map((name) => `test/support/global-setup/${name}.ts`);

/** Configures the attacks: those on a platform, which share one, and those on single parts. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/red-team/*.test.ts', 'test/{activities,integrations}/**/red-team.test.ts'],
    globalSetup: [...servers, 'test/red-team/start-world.ts'],
    reporters: ['default', 'test/red-team/count-attacks.ts'],
    isolate: false,
    maxWorkers: '150%',
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
