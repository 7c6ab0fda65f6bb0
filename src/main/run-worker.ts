import { join } from 'node:path';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import type { Logger } from 'pino';
import { createActivities } from '../../activities/index.ts';
import { defaultTaskQueue } from '../../workflows/task-queues.ts';
import type { Config } from '../config.ts';
import type { Sandbox } from '../integrations/sandbox/sandbox.ts';
import type { Connections } from './connect.ts';
import { ensureReconciliation } from './ensure-reconciliation.ts';

export type WorkerTools = { sandbox: Sandbox; workflowBundle: { codePath: string } };

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

/** Starts a worker of the default queue; `stop` drains it. */
export async function startWorker(
  config: Config,
  { store, blobs, codehost, models, connection, temporal }: Connections,
  { sandbox, workflowBundle }: WorkerTools,
): Promise<{ stop(): Promise<void> }> {
  const worker = await Worker.create({
    connection,
    namespace: config.temporal.namespace,
    taskQueue: defaultTaskQueue,
    workflowBundle,
    shutdownGraceTime: graceMs,
    stickyQueueScheduleToStartTimeout: stickyMs,
    maxHeartbeatThrottleInterval: heartbeatAtMostEveryMs,
    activities: createActivities({
      store,
      blobs,
      codehost,
      sandbox,
      models,
      checkoutsDir: join(config.dataDir, 'checkouts'),
      zoneAddress: config.zoneAddress,
      imageRepository: config.imageRepository,
      settleMs: 300,
      now: () => new Date(),
    }),
  });
  const running = worker.run();
  await ensureReconciliation(store, temporal);
  return {
    async stop() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await running;
    },
  };
}
