import { join } from 'node:path';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import type { Logger } from 'pino';
import { createActivities } from '../../activities/index.ts';
import { browserTaskQueue, defaultTaskQueue } from '../../workflows/task-queues.ts';
import type { Config } from '../config.ts';
import type { Browser } from '../integrations/browser/browser.ts';
import { isProxied } from '../integrations/dns/cloudflare.ts';
import type { Sandbox } from '../integrations/sandbox/sandbox.ts';
import type { Connections } from './connect.ts';
import { ensureReconciliation } from './ensure-reconciliation.ts';
import { startSchedules } from './start-schedules.ts';
import { tellObserved } from './tell-observed.ts';
import { workerNames } from './worker-names.ts';
import { zoneChart } from './zone-chart.ts';

export type WorkerTools = { sandbox: Sandbox; browser: Browser; workflowBundle: { codePath: string } };

/** How long running activities may take to stop when the worker drains; what does not make it is retried elsewhere. */
const graceMs = 3_000;

/** How long a workflow's next step waits for the worker that knows it, before another replays it. */
const stickyMs = 5_000;

/** An activity learns that it is cancelled from the answer to a heartbeat; by itself the library holds most of them back. */
const heartbeatAtMostEveryMs = 1_000;

/** Has the workers' library write to our log; before the first connection, and once in a process. */
export function logToPino(log: Logger): void {
  const levels = { TRACE: 'debug', DEBUG: 'debug', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const;
  const logger = new DefaultLogger('INFO', ({ level, message, meta }) =>
    log[levels[level]]({ from: 'worker', ...meta }, message),
  );
  Runtime.install({ logger });
}

/** A picture takes most of a core while it is taken. */
const shotsAtOnce = 2;

/** Starts a worker of the default queue and one of the browser's; `stop` drains them. */
export async function startWorker(
  config: Config,
  { store, blobs, codehost, models, dns, connection, temporal }: Connections,
  { sandbox, browser, workflowBundle }: WorkerTools,
): Promise<{ stop(): Promise<void> }> {
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
    checkoutsDir: join(config.dataDir, 'checkouts'),
    zoneAddress: config.zoneAddress,
    zoneService: config.zoneService,
    imageRepository: config.imageRepository,
    zoneChart: await zoneChart(config),
    settleMs: 300,
    now: () => new Date(),
  });
  const common = {
    connection,
    namespace: config.temporal.namespace,
    ...workerNames(workflowBundle),
    shutdownGraceTime: graceMs,
    maxHeartbeatThrottleInterval: heartbeatAtMostEveryMs,
  };
  const workers = await Promise.all([
    Worker.create({
      ...common,
      taskQueue: defaultTaskQueue,
      workflowBundle,
      stickyQueueScheduleToStartTimeout: stickyMs,
      activities,
    }),
    Worker.create({
      ...common,
      taskQueue: browserTaskQueue(defaultTaskQueue),
      activities: { keepScreenshot: activities.keepScreenshot },
      maxConcurrentActivityTaskExecutions: shotsAtOnce,
    }),
  ]);
  const running = Promise.all(workers.map(async (worker) => await worker.run()));
  await Promise.all([ensureReconciliation(store, temporal), startSchedules({ store, temporal })]);
  return {
    async stop() {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await running;
    },
  };
}
