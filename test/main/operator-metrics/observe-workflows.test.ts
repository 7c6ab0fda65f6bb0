import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { observeDeliveries } from '../../../src/main/operator-metrics/observe-deliveries.ts';
import { observeTaskQueues } from '../../../src/main/operator-metrics/observe-task-queues.ts';
import { readTemporalSettings } from '../../../src/main/temporal/read-temporal-settings.ts';
import { startTemporalServer } from '../../../src/main/temporal/start-temporal-server.ts';
import { type DeliveryFacts, routeDeliveryStart } from '../../../workflows/intake/messages.ts';
import { createUnreachableTemporal } from '../../support/start-api.ts';
// This import declares the values that the global setup provides.
import type {} from '../../support/global-setup/temporal.ts';

const executable = inject('temporalExecutable');
const facts: DeliveryFacts = {
  event: 'pull_request',
  action: 'opened',
  repo: 'acme/hello',
  number: 1,
  labels: [],
  baseBranch: 'main',
  headBranch: 'feature',
};
const minuteMs = 60_000;

describe.skipIf(executable === undefined)('the metrics of workflows', () => {
  let folder: string;
  let server: Awaited<ReturnType<typeof startTemporalServer>>;
  let client: Client;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'workflow-metrics-'));
    const settings = await readTemporalSettings();
    const logFile = join(folder, 'temporal.log');
    server = await startTemporalServer({ executable: executable ?? '', settings, logFile, port: 0 });
    client = new Client({ connection: await Connection.connect({ address: server.address }) });
  });
  afterAll(async () => {
    await client.connection.close();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function startDelivery(deliveryId: string): Promise<void> {
    const { type, options } = routeDeliveryStart({ org: 'acme', deliveryId, facts });
    await client.workflow.start(type, options);
  }

  it('report the tasks that no worker has received, their age and the workers', async () => {
    const registry = new Registry();
    observeTaskQueues(registry, client);
    await startDelivery('without-worker');
    const workflows = 'task_queue="delivery",task_type="workflow"';
    await expect.poll(() => registry.metrics()).toContain(`delivery_task_queue_tasks{${workflows}} 1`);
    await expect
      .poll(() => registry.metrics())
      .toMatch(new RegExp(String.raw`delivery_task_queue_oldest_task_seconds\{${workflows}\} 0*[1-9.]`));
    const metrics = await registry.metrics();
    for (const queue of ['delivery', 'delivery-waits', 'delivery-agents', 'delivery-browser']) {
      expect(metrics).toContain(`delivery_task_queue_tasks{task_queue="${queue}",task_type="activity"} 0`);
      expect(metrics).toContain(`delivery_task_queue_pollers{task_queue="${queue}",task_type="activity"} 0`);
    }
  });

  it('report the deliveries that wait for more than a minute', async () => {
    await startDelivery('late');
    const startedAt = Date.now();
    let now = startedAt;
    const registry = new Registry();
    observeDeliveries(registry, client, () => new Date(now));
    const { workflow } = client;
    await expect.poll(async () => (await workflow.count("ExecutionStatus = 'Running'")).count).toBe(2);
    now = startedAt + minuteMs / 2;
    expect(await registry.metrics()).toContain('delivery_webhooks_late 0');
    now = startedAt + 2 * minuteMs;
    expect(await registry.metrics()).toContain('delivery_webhooks_late 2');
  });

  it('count the scrapes in which the server could not be asked', async () => {
    const registry = new Registry();
    observeTaskQueues(registry, createUnreachableTemporal());
    observeDeliveries(registry, createUnreachableTemporal(), () => new Date());
    expect(await registry.metrics()).not.toContain('delivery_task_queue_tasks{');
    const metrics = await registry.metrics();
    for (const source of ['task-queues', 'deliveries'])
      expect(metrics).toMatch(new RegExp(`readings_failed_total\\{source="${source}"\\} [12]`));
  });
});
