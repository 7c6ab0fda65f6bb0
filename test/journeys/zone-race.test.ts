import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { expect, it, onTestFinished } from 'vitest';
import { startCluster } from '../../src/emulators/cluster/start-cluster.ts';
import { withParentDeathSignal } from '../../src/main/tools/parent-death-signal.mjs';
import { SecretKind } from '../../src/kinds/kubernetes.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { startTestCodehost, registerApp } from '../emulators/codehost/codehost-fixture.ts';
import { startShortHistoryServer } from '../support/workflows/start-short-history-server.ts';
import { createScratchFolder } from '../support/scratch-folder.ts';
import { startApi } from '../support/start-api.ts';
import { describeWithTemporal } from '../support/workflows/temporal-client.ts';
import { openTestRegistry } from '../support/open-test-registry.ts';
import { createTestSandbox } from '../support/test-sandbox.ts';
import { createRandom, isExhaustive, testSeed } from '../support/sample.ts';
import { ZoneRace, type ZoneRaceDeps } from './zone-race.ts';
import type { ZoneWorkerSettings } from './zone-worker-process.ts';

const schedules = isExhaustive ? 200 : 16;
const maxConcurrency = 8;
/** Short histories make some workflows continue as new during the race. */
const historyEventsMax = 150;
const settleTimeoutMs = 300_000;

async function startRaceFixture(): Promise<ZoneRaceDeps & { settings: ZoneWorkerSettings }> {
  const folder = await createScratchFolder();
  const address = await startShortHistoryServer(historyEventsMax);
  const connection = await NativeConnection.connect({ address });
  onTestFinished(async () => await connection.close());
  const client = new Client({ connection });
  const codehost = await startTestCodehost();
  const { app } = await registerApp(codehost);
  const storeFile = join(folder, 'store.sqlite');
  const store = openSqliteStore({ file: storeFile });
  onTestFinished(async () => await store.close());
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const api = await startApi({ role: 'org-admin', store, temporal: client, codehostApiUrl: codehost.apiUrl });
  await store.create(SecretKind, {
    metadata: { namespace: 'org-acme', name: 'codehost-app' },
    data: { 'app-id': base64(String(app.id)), 'private-key': base64(app.pem) },
  });
  const cluster = await startCluster({
    store,
    sandbox: createTestSandbox(),
    openRegistry: openTestRegistry(),
    dataDir: join(folder, 'cluster'),
    port: 0,
    log: () => {},
  });
  onTestFinished(async () => await cluster.close());
  const readGitops: ZoneRaceDeps['readGitops'] = async (path, ref) => {
    const response = await fetch(`${codehost.apiUrl}/repos/acme/gitops/contents/${path}?ref=${ref}`, {
      headers: { authorization: `Bearer ${codehost.userToken}` },
    });
    if (response.status === 404) return undefined;
    const { content } = (await response.json()) as { content: string };
    return Buffer.from(content, 'base64').toString();
  };
  return { api, store, client, readGitops, settings: { address, storeFile, codehostApiUrl: codehost.apiUrl } };
}

/** Several workers run, so that the work of a killed one moves to another. */
const workerCount = 2;

/** Runs a worker that is repeatedly killed or stopped and restarted. The returned function ends it and returns the number of restarts. */
function startUnstableWorker(settings: ZoneWorkerSettings, draw: (below: number) => number): () => Promise<number> {
  const ending = new AbortController();
  let restarts = 0;
  const loop = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const args = [join(import.meta.dirname, 'zone-worker-process.ts'), JSON.stringify(settings)];
      const spawnArgs = withParentDeathSignal('SIGKILL', process.execPath, args);
      const worker: ChildProcess = spawn(spawnArgs.command, spawnArgs.args, {
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      const ended = once(worker, 'exit');
      // The lifetime exceeds the detection of a dead worker and grows, so that slow machines make progress too.
      await sleep(15_000 + draw(30_000) + restarts * 2_000, undefined, { signal: ending.signal }).catch(
        () => undefined,
      );
      worker.kill(ending.signal.aborted || draw(3) > 0 ? 'SIGKILL' : 'SIGTERM');
      await ended;
      restarts += 1;
    }
  };
  const finished = loop();
  return async () => {
    ending.abort();
    await finished;
    return restarts;
  };
}

describeWithTemporal('zones with concurrent requests', () => {
  it(
    'reach a state that some order of the requests explains, although their workers are killed',
    async () => {
      const seed = testSeed;
      const draw = createRandom(seed);
      const fixture = await startRaceFixture();
      const stopWorkers = Array.from({ length: workerCount }, (_, nth) =>
        startUnstableWorker(fixture.settings, createRandom(seed + 1 + nth)),
      );
      const stopAllWorkers = async (): Promise<number> =>
        (await Promise.all(stopWorkers.map(async (stop) => await stop()))).reduce((one, other) => one + other);
      const violations: string[] = [];
      let next = 0;
      let settled = 0;
      const raceNext = async (): Promise<void> => {
        for (let index = next++; index < schedules; index = next++) {
          const zone = new ZoneRace(fixture, index);
          await zone.create();
          await zone.run(draw);
          let violation = await zone.findViolation();
          for (
            const deadline = Date.now() + settleTimeoutMs;
            violation && Date.now() < deadline;
            violation = await zone.findViolation()
          )
            await sleep(500);
          if (violation) violations.push(`${violation}\n${await zone.describePending()}`);
          if (violation) process.stdout.write(`${violations.at(-1)}\n`);
          settled += 1;
          if (settled % 20 === 0)
            process.stdout.write(`${settled} of ${schedules} after ${Math.round((Date.now() - startedAt) / 1000)} s\n`);
        }
      };
      const startedAt = Date.now();
      await Promise.all(Array.from({ length: maxConcurrency }, raceNext)).finally(stopAllWorkers);
      const restarts = await stopAllWorkers();
      process.stdout.write(
        `${schedules} schedules, ${restarts} worker restarts, ${Math.round((Date.now() - startedAt) / 1000)} s, seed ${seed}\n`,
      );
      expect(violations, `seed ${seed}`).toEqual([]);
    },
    30 * 60_000,
  );
});
