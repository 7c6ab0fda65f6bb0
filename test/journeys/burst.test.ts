import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { startTemporalServer } from '../../src/main/temporal/dev-server.ts';
import { readTemporalSettings } from '../../src/main/temporal/settings.ts';
import { DeliveryKind } from '../../src/rules/intake/kinds.ts';
import { until } from '../support/acme.ts';
import {
  type Part,
  fillOrgs,
  hookHeaders,
  issueEvent,
  openPartsStore,
  orgName,
  runsOf,
  secretOf,
  startApiPart,
  startPart,
} from '../support/intake-parts.ts';
import { describeWithTemporal } from '../support/temporal-client.ts';

const targets = 24;
const everyMs = 20;

describeWithTemporal('a burst of deliveries while no worker is there', () => {
  it('is taken at once, and starts one run for each target once there is one, which is killed on the way', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'burst-'));
    const server = await startTemporalServer({
      executable: inject('temporalExecutable') ?? '',
      settings: await readTemporalSettings(),
      logFile: join(dataDir, 'temporal.log'),
      port: 0,
    });
    const store = openPartsStore(dataDir);
    const org = orgName(0);
    await fillOrgs(store, 1);
    const api = await startApiPart(dataDir, server.address);
    const parts: Part[] = [api];
    const startWorker = async (): Promise<Part> => {
      const part = await startPart('worker-process.ts', [dataDir, server.address]);
      parts.push(part);
      return part;
    };
    const send = async (body: string, delivery = randomUUID()): Promise<number> => {
      const headers = hookHeaders(delivery, body, secretOf(org));
      const { status } = await fetch(api.url, { method: 'POST', headers, body, signal: AbortSignal.timeout(10_000) });
      return status;
    };
    try {
      const answers: Promise<number>[] = [];
      for (let number = 1; number <= targets; number += 1) {
        const opened = issueEvent({ org, number });
        const delivery = randomUUID();
        answers.push(send(issueEvent({ org, number, action: 'labeled' })), send(opened, delivery));
        await pause(2 * everyMs);
        // The code host sends every other one again.
        if (number % 2 === 0) answers.push(send(opened, delivery));
      }
      expect(await Promise.all(answers)).toEqual(Array.from({ length: 2.5 * targets }, () => 202));
      expect(await runsOf(store)).toEqual([]);

      const worker = await startWorker();
      await until(
        async () => await runsOf(store),
        (runs) => runs.length > targets / 4,
      );
      await worker.kill();
      await startWorker();
      await until(
        async () => await runsOf(store),
        (runs) => runs.length >= targets && runs.every(({ status }) => status?.phase === 'Succeeded'),
      );
      await until(
        async () => (await store.list(DeliveryKind)).items,
        (notes) => notes.length === 2 * targets,
      );
      const numbers = (await runsOf(store)).map(({ spec }) => spec.target?.number ?? 0);
      expect(numbers.toSorted((one, other) => one - other)).toEqual(Array.from({ length: targets }, (_, at) => at + 1));
      expect(api.errors()).toBe('');
    } finally {
      await Promise.all(parts.map(async (part) => await part.kill()));
      await server.close();
      await store.close();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    }
  }, 180_000);
});
