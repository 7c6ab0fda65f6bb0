import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';
import { freePort } from './ports.ts';

/** Has the workers' library write to our log; before the first connection, and once in a process. */
export function logToPino(log: Logger): void {
  Runtime.install({ logger: loggerOf(log) });
}

/** The same, and answers what tells the library's own metrics. */
export async function observeRuntime(log: Logger): Promise<() => Promise<string>> {
  const bindAddress = `127.0.0.1:${await freePort()}`;
  Runtime.install({
    logger: loggerOf(log),
    telemetryOptions: { metrics: { prometheus: { bindAddress, countersTotalSuffix: true, unitSuffix: true } } },
  });
  return async () => await (await fetch(`http://${bindAddress}/metrics`)).text();
}

/** A worker of agents alone, or of browsers, has no workflows: the library thinks that somebody forgot them. */
const asIntended = /^No workflows registered/;

function loggerOf(log: Logger): DefaultLogger {
  const levels = { TRACE: 'debug', DEBUG: 'debug', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const;
  return new DefaultLogger('INFO', ({ level, message, meta }) =>
    log[asIntended.test(message) ? 'debug' : levels[level]]({ from: 'worker', ...meta }, message),
  );
}
