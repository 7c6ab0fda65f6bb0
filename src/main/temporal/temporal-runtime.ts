import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';
import { getFreePort } from '../process/ports.ts';

/** Without forwarding, the native part of the SDK writes to standard output, which carries data. */
const logging = { filter: { core: 'WARN', other: 'WARN' }, forward: {} } as const;

/** Makes the Temporal SDK write to our log. Call it once per process, before the first connection. */
export function installTemporalLogger(log: Logger): void {
  Runtime.install({ logger: toTemporalLogger(log), telemetryOptions: { logging } });
}

/** Makes the Temporal SDK write to our log and returns a function that reads the SDK's metrics. */
export async function installTemporalLoggerAndMetrics(log: Logger): Promise<() => Promise<string>> {
  const bindAddress = `127.0.0.1:${await getFreePort()}`;
  Runtime.install({
    logger: toTemporalLogger(log),
    telemetryOptions: {
      logging,
      metrics: { prometheus: { bindAddress, countersTotalSuffix: true, unitSuffix: true } },
    },
  });
  return async () => await (await fetch(`http://${bindAddress}/metrics`)).text();
}

/** A worker for agents or browsers registers no workflows on purpose, and the SDK warns about that. */
const expectedWarning = /^No workflows registered/;

function toTemporalLogger(log: Logger): DefaultLogger {
  const levels = { TRACE: 'debug', DEBUG: 'debug', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const;
  return new DefaultLogger('INFO', ({ level, message, meta }) =>
    log[expectedWarning.test(message) ? 'debug' : levels[level]]({ from: 'worker', ...meta }, message),
  );
}
