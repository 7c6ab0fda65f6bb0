import type { ApplicationFailure } from '@temporalio/common';
import { DefaultLogger, type LogEntry, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';
import { defined } from '../../defined.ts';
import { getFreePort, retryLostPort } from '../process/ports.ts';

/** Without forwarding, the native part of the SDK writes to standard output, which carries data. */
const logging = { filter: { core: 'WARN', other: 'WARN' }, forward: {} } as const;

/** Makes the Temporal SDK write to our log. Call it once per process, before the first connection. */
export function installTemporalLogger(log: Logger): void {
  Runtime.install({ logger: toTemporalLogger(log), telemetryOptions: { logging } });
}

/** Makes the Temporal SDK write to our log and returns a function that reads the SDK's metrics. */
export async function installTemporalLoggerAndMetrics(
  log: Logger,
  findPort: () => Promise<number> = getFreePort,
): Promise<() => Promise<string>> {
  // An installation that fails leaves no runtime behind, so another one may follow.
  const bindAddress = await retryLostPort(async () => {
    const address = `127.0.0.1:${await findPort()}`;
    Runtime.install({
      logger: toTemporalLogger(log),
      telemetryOptions: {
        logging,
        metrics: {
          prometheus: {
            bindAddress: address,
            countersTotalSuffix: true,
            unitSuffix: true,
            useSecondsForDurations: true,
          },
        },
      },
    });
    return address;
  });
  return async () => await (await fetch(`http://${bindAddress}/metrics`)).text();
}

/**
 * The SDK warns about two things that are so on purpose: a worker for agents or browsers registers no workflows, and the
 * workflow bundle contains the interceptors for tracing already.
 */
const expectedWarning = /^(No workflows registered|Ignoring WorkerOptions\.interceptors\.workflowModules)/;

/** The token of a task, which the SDK adds, would let a reader of the log complete an activity. */
export function toTemporalLogger(log: Logger): DefaultLogger {
  const levels = { TRACE: 'debug', DEBUG: 'debug', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const;
  return new DefaultLogger(
    'INFO',
    ({ level, message, meta: { error, taskToken: _taskToken, ...meta } = {} }: LogEntry) =>
      log[expectedWarning.test(message) ? 'debug' : levels[level]](
        { from: 'worker', ...meta, ...(error !== undefined && { error: toLoggedError(error) }) },
        message,
      ),
  );
}

/** Leaves out the details and causes of a failure, which may hold the input of an activity. */
function toLoggedError(error: unknown): object {
  const { name, message, stack, type } = error as Partial<ApplicationFailure>;
  return defined({ name, message, stack, type: type ?? undefined });
}
