import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { expect, it, onTestFinished } from 'vitest';
import { startCluster } from '../../src/local/cluster/start-cluster.ts';
import { endsWithParent } from '../../src/main/tools/ends-with-parent.mjs';
import { SecretKind } from '../../src/rules/core-kinds.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { aCodehost, anApp } from '../local/codehost/a-codehost.ts';
import { hastyServer } from '../support/hasty-server.ts';
import { scratchFolder } from '../support/programs.ts';
import { startApi } from '../support/start-api.ts';
import { describeWithTemporal } from '../support/temporal-client.ts';
import { testSandbox } from '../support/test-sandbox.ts';
import { drawing, RacedZone, type RacedWorld } from './raced-zones.ts';
import type { ZoneWorkerSettings } from './zone-worker.ts';

const schedules = 200;
const atOnce = 8;
/** Some go on as new in the middle. */
const eventsOfARun = 150;
const settledWithinMs = 300_000;

async function aWorld(): Promise<RacedWorld & { settings: ZoneWorkerSettings }> {
  const folder = await scratchFolder();
  const address = await hastyServer(eventsOfARun);
  const connection = await NativeConnection.connect({ address });
  onTestFinished(async () => await connection.close());
  const client = new Client({ connection });
  const codehost = await aCodehost();
  const { app } = await anApp(codehost);
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
    sandbox: testSandbox(),
    dataDir: join(folder, 'cluster'),
    port: 0,
    log: () => {},
    credentialsFor: async () => `Basic ${base64(`owner:${codehost.userToken}`)}`,
  });
  onTestFinished(async () => await cluster.close());
  const readGitops: RacedWorld['readGitops'] = async (path, ref) => {
    const response = await fetch(`${codehost.apiUrl}/repos/acme/gitops/contents/${path}?ref=${ref}`, {
      headers: { authorization: `Bearer ${codehost.userToken}` },
    });
    if (response.status === 404) return undefined;
    const { content } = (await response.json()) as { content: string };
    return Buffer.from(content, 'base64').toString();
  };
  return { api, store, client, readGitops, settings: { address, storeFile, codehostApiUrl: codehost.apiUrl } };
}

/** There are several, so that one that dies leaves its work to another. */
const workers = 2;

/** A worker that is killed again and again, or told to stop, and started anew at once; answers how often, when told to end. */
function dyingWorker(settings: ZoneWorkerSettings, draw: (below: number) => number): () => Promise<number> {
  const over = new AbortController();
  let deaths = 0;
  const live = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const args = [join(import.meta.dirname, 'zone-worker.ts'), JSON.stringify(settings)];
      const guarded = endsWithParent('SIGKILL', process.execPath, args);
      const worker: ChildProcess = spawn(guarded.command, guarded.args, { stdio: ['ignore', 'inherit', 'inherit'] });
      const ended = once(worker, 'exit');
      // Longer than it takes to notice that one has died, and ever longer: else nothing gets on where all takes long.
      await sleep(15_000 + draw(30_000) + deaths * 2_000, undefined, { signal: over.signal }).catch(() => undefined);
      worker.kill(over.signal.aborted || draw(3) > 0 ? 'SIGKILL' : 'SIGTERM');
      await ended;
      deaths += 1;
    }
  };
  const lived = live();
  return async () => {
    over.abort();
    await lived;
    return deaths;
  };
}

describeWithTemporal('zones', () => {
  it(
    'end as some order of all that was asked of them explains, however their worker died on the way',
    async () => {
      const seed = Date.now() % 2 ** 31;
      const draw = drawing(seed);
      const world = await aWorld();
      const lives = Array.from({ length: workers }, (_, nth) => dyingWorker(world.settings, drawing(seed + 1 + nth)));
      const endWorkers = async (): Promise<number> =>
        (await Promise.all(lives.map(async (end) => await end()))).reduce((one, other) => one + other);
      const faults: string[] = [];
      let next = 0;
      let settled = 0;
      const take = async (): Promise<void> => {
        for (let index = next++; index < schedules; index = next++) {
          const zone = new RacedZone(world, index);
          await zone.create();
          await zone.race(draw);
          let fault = await zone.fault();
          for (
            const giveUpAt = Date.now() + settledWithinMs;
            fault && Date.now() < giveUpAt;
            fault = await zone.fault()
          )
            await sleep(500);
          if (fault) faults.push(`${fault}\n${await zone.pending()}`);
          if (fault) process.stdout.write(`${faults.at(-1)}\n`);
          settled += 1;
          if (settled % 20 === 0)
            process.stdout.write(`${settled} of ${schedules} after ${Math.round((Date.now() - startedAt) / 1000)} s\n`);
        }
      };
      const startedAt = Date.now();
      await Promise.all(Array.from({ length: atOnce }, take)).finally(endWorkers);
      const deaths = await endWorkers();
      process.stdout.write(
        `${schedules} schedules, ${deaths} deaths, ${Math.round((Date.now() - startedAt) / 1000)} s, seed ${seed}\n`,
      );
      expect(faults, `seed ${seed}`).toEqual([]);
    },
    30 * 60_000,
  );
});
