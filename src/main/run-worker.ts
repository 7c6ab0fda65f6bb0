import { createActivities } from '../../activities/index.ts';
import type { Config } from '../config.ts';
import type { Browser } from '../integrations/browser/browser.ts';
import { isProxied } from '../integrations/dns/cloudflare.ts';
import type { Sandbox } from '../integrations/sandbox/sandbox.ts';
import type { Connections } from './connect.ts';
import { ensureReconciliation } from './ensure-reconciliation.ts';
import { startSchedules } from './start-schedules.ts';
import { createTaskWorkers, type QueueName } from './task-workers.ts';
import { dataConverter } from './temporal/data-converter.ts';
import { tellObserved } from './tell-observed.ts';
import { workerNames } from './worker-names.ts';
import { zoneChart } from './zone-chart.ts';

export type WorkerTools = {
  queues: readonly QueueName[];
  sandbox: Sandbox;
  browser: Browser;
  workflowBundle: { codePath: string };
  /** The folder of this process for checkouts, and the name of the queue of whoever needs what is in it. */
  checkouts: { path: string; name: string };
};

/** How long running activities may take to stop when the worker drains; what does not make it is retried elsewhere. */
const graceMs = 3_000;

/** An activity learns that it is cancelled from the answer to a heartbeat; by itself the library holds most of them back. */
const heartbeatAtMostEveryMs = 1_000;

/** Starts the workers of the tools' queues; `stop` drains them. */
export async function startWorker(
  config: Config,
  { store, blobs, codehost, models, dns, connection, temporal }: Connections,
  { queues, sandbox, browser, workflowBundle, checkouts }: WorkerTools,
): Promise<{ stop(): Promise<void>; isRunning(): boolean; ended: Promise<unknown> }> {
  const activities = createActivities({
    store,
    blobs,
    codehost,
    sandbox,
    browser,
    models,
    dns,
    domains: config.domains,
    proxied: isProxied,
    tellObserved: tellObserved(temporal),
    checkoutsDir: checkouts.path,
    host: checkouts.name,
    zoneAddress: config.zoneAddress,
    zoneService: config.zoneService,
    imageRepository: config.imageRepository,
    zoneChart: await zoneChart(config),
    settleMs: 300,
    now: () => new Date(),
  });
  const converter = dataConverter(config.temporal.encryptionKeys);
  const common = {
    connection,
    namespace: config.temporal.namespace,
    ...workerNames(workflowBundle),
    shutdownGraceTime: graceMs,
    maxHeartbeatThrottleInterval: heartbeatAtMostEveryMs,
    ...(converter && { dataConverter: converter }),
  };
  const workers = await createTaskWorkers(common, { queues, activities, workflowBundle, host: checkouts.name });
  const running = Promise.all(workers.map(async (worker) => await worker.run()));
  if (queues.includes('workflows'))
    await Promise.all([ensureReconciliation(store, temporal), startSchedules({ store, temporal })]);
  return {
    isRunning: () => workers.every((worker) => worker.getState() === 'RUNNING'),
    ended: running,
    async stop() {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await running;
    },
  };
}
