import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import FastFirstSequencer from './test/support/fast-first-sequencer.ts';

/** The tests of the web UI in a browser, which `npm run test:ui` runs. */
const inBrowser = 'test/clients/ui/*.test.ts';
/** The tests that start whole platforms, which `npm run test:journeys` runs. */
const onWholePlatforms = 'test/journeys/**/*.test.ts';
/** The attacks on single parts, which `npm run test:red-team` runs with those on a platform. */
const attacks = 'test/{activities,integrations}/**/red-team.test.ts';
const withoutServers = ['test/*.test.ts', 'test/{rules,kinds,store,reconcile,processes,api/reference}/**/*.test.ts'];
const servers = ['temporal', 'bubblewrap', 'browser-profiles'].map((name) => `test/support/global-setup/${name}.ts`);

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'pure', include: withoutServers } },
      {
        extends: true,
        test: {
          name: 'servers',
          include: ['test/**/*.test.ts'],
          exclude: ['test/{cluster,red-team}/**', onWholePlatforms, inBrowser, attacks, ...withoutServers],
          globalSetup: servers,
        },
      },
      {
        extends: true,
        test: { name: 'journeys', include: [onWholePlatforms], globalSetup: servers },
      },
      {
        extends: true,
        test: { name: 'attacks', include: [attacks], globalSetup: servers },
      },
    ],
    // Workers keep the modules that files share: loading them once per file took a third of all CPU time.
    isolate: false,
    // Most tests wait for other programs, so more workers than processors keep those busy. A percentage is capped at 100 %.
    maxWorkers: 2 * availableParallelism(),
    sequence: { sequencer: FastFirstSequencer },
    expect: { poll: { timeout: 60_000 } },
    // A busy machine is several times slower than an idle one; only a test that hangs takes this long.
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
