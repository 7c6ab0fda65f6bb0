import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { reservePort } from '../servers/reserve-ports.ts';
import { withoutBrowser } from './test-platform.ts';

type LogLine = { level: number; msg: string };

export type Replica = {
  /** The base URL of the API, or of a worker's probes. */
  url: string;
  /** The URL of the metrics, which the API serves on a port of its own. */
  metricsUrl: string;
  pid: number;
  /** Returns the log lines at level error or higher. Failed attempts that are retried are logged as warnings. */
  loggedErrors(): string[];
  /** Sends SIGKILL, if the process still runs. */
  kill(): Promise<void>;
  /** Sends SIGTERM and returns the exit status. */
  stop(): Promise<number | null>;
};

/** Starts one process of the service on a free port, without the environment of the test's process. */
export async function startReplica(
  program: 'api' | 'worker',
  environment: Record<string, string>,
  args: string[] = [],
): Promise<Replica> {
  const port = await reservePort();
  const metricsPort = program === 'api' ? await reservePort() : port;
  const file = join(import.meta.dirname, '../../../src/main', program, 'main.ts');
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
  const child = spawn(process.execPath, [file, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH,
      HOME,
      NODE_COMPILE_CACHE,
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      ...withoutBrowser,
      ...environment,
    },
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  let output = '';
  const ready = new Promise<void>((resolve, reject) => {
    const readOutput = (chunk: Buffer): void => {
      output += chunk.toString();
      if (output.includes('"msg":"ready"')) resolve();
    };
    child.stdout.on('data', readOutput);
    child.stderr.on('data', readOutput);
    child.once('exit', (code) => reject(new Error(`${program} exited with ${code}: ${output}`)));
  });
  await ready;
  const parseLog = (): LogLine[] => output.split('\n').flatMap((text) => (text === '' ? [] : [parseLogLine(text)]));
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return (await exited)[0];
  };
  return {
    url: `http://127.0.0.1:${port}`,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    pid: child.pid ?? 0,
    loggedErrors: () =>
      parseLog()
        .filter(({ level }) => level >= 50)
        .map((line) => JSON.stringify(line)),
    kill: async () => void (await end('SIGKILL')),
    stop: async () => await end('SIGTERM'),
  };
}

/** Output that is not a log line comes from an uncaught error. */
function parseLogLine(text: string): LogLine {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return { level: 60, msg: text };
  }
}
