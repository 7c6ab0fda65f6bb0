import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { startTemporalServer } from '../../src/main/temporal/start-temporal-server.ts';
import { readTemporalSettings } from '../../src/main/temporal/read-temporal-settings.ts';
import { DeliveryKind } from '../../src/rules/intake/kinds.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import {
  type ServiceProcess,
  seedOrgs,
  buildWebhookHeaders,
  buildIssueEvent,
  openIntakeStore,
  toOrgName,
  listRuns,
  toWebhookSecret,
  startApiProcess,
  startServiceProcess,
} from '../support/platform/intake-harness.ts';
import { describeWithTemporal } from '../support/workflows/temporal-client.ts';

const targets = 24;
const intervalMs = 20;

describeWithTemporal('a burst of deliveries without a worker', () => {
  it('is accepted at once, and starts one run per target when a worker starts, even if that worker is killed', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'burst-'));
    const server = await startTemporalServer({
      executable: inject('temporalExecutable') ?? '',
      settings: await readTemporalSettings(),
      logFile: join(dataDir, 'temporal.log'),
      port: 0,
    });
    const store = openIntakeStore(dataDir);
    const org = toOrgName(0);
    await seedOrgs(store, 1);
    const api = await startApiProcess(dataDir, server.address);
    const processes: ServiceProcess[] = [api];
    const startWorker = async (): Promise<ServiceProcess> => {
      const worker = await startServiceProcess('worker-process.ts', [dataDir, server.address]);
      processes.push(worker);
      return worker;
    };
    const send = async (body: string, delivery = randomUUID()): Promise<number> => {
      const headers = buildWebhookHeaders(delivery, body, toWebhookSecret(org));
      const { status } = await fetch(api.url, { method: 'POST', headers, body, signal: AbortSignal.timeout(60_000) });
      return status;
    };
    try {
      const responses: Promise<number>[] = [];
      for (let number = 1; number <= targets; number += 1) {
        const opened = buildIssueEvent({ org, number });
        const delivery = randomUUID();
        responses.push(send(buildIssueEvent({ org, number, action: 'labeled' })), send(opened, delivery));
        await pause(2 * intervalMs);
        // The code host redelivers every second event.
        if (number % 2 === 0) responses.push(send(opened, delivery));
      }
      expect(await Promise.all(responses)).toEqual(Array.from({ length: 2.5 * targets }, () => 202));
      expect(await listRuns(store)).toEqual([]);

      const worker = await startWorker();
      await waitUntil(
        async () => await listRuns(store),
        (runs) => runs.length > targets / 4,
      );
      await worker.kill();
      await startWorker();
      await waitUntil(
        async () => await listRuns(store),
        (runs) => runs.length >= targets && runs.every(({ status }) => status?.phase === 'Succeeded'),
      );
      await waitUntil(
        async () => (await store.list(DeliveryKind)).items,
        (deliveries) => deliveries.length === 2 * targets,
      );
      const numbers = (await listRuns(store)).map(({ spec }) => spec.target?.number ?? 0);
      expect(numbers.toSorted((one, other) => one - other)).toEqual(Array.from({ length: targets }, (_, at) => at + 1));
      expect(api.readErrors()).toBe('');
    } finally {
      await Promise.all(processes.map(async (process) => await process.kill()));
      await server.close();
      await store.close();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    }
  }, 180_000);
});
