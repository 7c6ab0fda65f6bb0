import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { msToTs, optionalTsToMs } from '@temporalio/common/lib/time.js';
import { ServiceError } from '../../errors.ts';
import { assertPortFree, freePort } from '../ports.ts';
import { endsWithParent } from '../tools/ends-with-parent.mjs';
import type { TemporalSettings } from './settings.ts';
import { stopStaleServer, type ServerRecord } from './stale-server.ts';

export type TemporalServer = { address: string; uiUrl?: string; close(): Promise<void> };

export type TemporalServerOptions = {
  executable: string;
  settings: TemporalSettings;
  logFile: string;
  /** 0 takes any free one. */
  port: number;
  /** No Web UI without one. */
  uiPort?: number;
  /** Keeps everything under it; in memory without one. */
  dataDir?: string;
  /** The option from which the ports follow, for the error that says one is in use. */
  portsSetBy?: string;
};

// Warm it takes a tenth of a second; a machine that is busy building gets its time.
const START_MS = 30_000;
// It waits a second for its callers by itself, then needs a moment for its shard.
const STOP_MS = 5_000;

/** Starts Temporal's development server and answers once it serves. It dies with this process, however that dies. */
export async function startTemporalServer(options: TemporalServerOptions): Promise<TemporalServer> {
  const { dataDir, uiPort, settings, logFile } = options;
  const files = dataDir === undefined ? undefined : await claimDataDir(dataDir);
  await assertPortsFree(options);
  const port = options.port || (await freePort());
  const server = await launch(options, serverFlags(settings, { port, uiPort, database: files?.database }));
  const record: ServerRecord = { pid: server.pid ?? 0, ownerPid: process.pid };
  if (files) await writeFile(files.pid, JSON.stringify(record));
  const close = async () => {
    await stop(server, files ? 'SIGTERM' : 'SIGKILL');
    if (files) await rm(files.pid, { force: true });
  };
  const address = `127.0.0.1:${port}`;
  try {
    await untilServing(server, port);
    await keepFor(address, settings);
  } catch (error) {
    await close();
    throw startFailed(error, logFile, await tailOf(logFile));
  }
  return { address, close, ...(uiPort && { uiUrl: `http://127.0.0.1:${uiPort}` }) };
}

async function claimDataDir(dataDir: string): Promise<{ database: string; pid: string }> {
  await mkdir(dataDir, { recursive: true });
  // Absolute, because it is also how a stale server is known again.
  const files = { database: resolve(dataDir, 'temporal.db'), pid: resolve(dataDir, 'temporal.pid') };
  await stopStaleServer(files.pid, files.database);
  return files;
}

async function assertPortsFree({ port, uiPort, portsSetBy: setBy = '--port' }: TemporalServerOptions): Promise<void> {
  if (port !== 0) await assertPortFree({ port, what: 'the Temporal server', setBy });
  if (uiPort) await assertPortFree({ port: uiPort, what: 'the Temporal Web UI', setBy });
}

function serverFlags(
  settings: TemporalSettings,
  where: { port: number; uiPort: number | undefined; database: string | undefined },
): string[] {
  const each = (flag: string, values: Record<string, string>) =>
    Object.entries(values).flatMap(([key, value]) => [flag, `${key}=${value}`]);
  const asJson = Object.entries(settings.dynamicConfig).map(([key, value]) => [key, JSON.stringify(value)] as const);
  return [
    'server',
    'start-dev',
    '--ip=127.0.0.1',
    `--port=${where.port}`,
    `--namespace=${settings.namespace}`,
    ...(where.uiPort ? ['--ui-port', String(where.uiPort)] : ['--headless']),
    ...(where.database ? ['--db-filename', where.database, ...each('--sqlite-pragma', settings.sqlitePragmas)] : []),
    ...each('--search-attribute', settings.searchAttributes),
    ...each('--dynamic-config-value', Object.fromEntries(asJson)),
  ];
}

async function launch({ executable, logFile }: TemporalServerOptions, flags: string[]): Promise<ChildProcess> {
  await mkdir(dirname(logFile), { recursive: true });
  const log = await open(logFile, 'w');
  try {
    const { command, args } = endsWithParent('SIGKILL', executable, flags);
    const server = spawn(command, args, {
      stdio: ['ignore', log.fd, log.fd],
      // A group of its own: Ctrl-C in a terminal must not take the server away from workers that are still draining.
      detached: true,
      // Nothing of the person's own Temporal settings.
      env: { PATH: process.env['PATH'] },
    });
    await once(server, 'spawn');
    return server;
  } finally {
    await log.close();
  }
}

async function untilServing(server: ChildProcess, port: number): Promise<void> {
  const deadline = Date.now() + START_MS;
  while (!(await listens(port))) {
    if (hasEnded(server)) throw new Error(`it ended with ${server.signalCode ?? `status ${server.exitCode}`}`);
    if (Date.now() > deadline) throw new Error(`it did not answer within ${START_MS / 1000} s`);
    await pause(5);
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((answer) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => answer(socket.destroy() !== undefined));
    socket.on('error', () => answer(false));
  });
}

/** start-dev gives every namespace a day and has no flag for it. */
async function keepFor(address: string, { namespace, retentionDays }: TemporalSettings): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: START_MS });
  try {
    const wantedMs = retentionDays * 24 * 60 * 60 * 1000;
    const { config } = await connection.workflowService.describeNamespace({ namespace });
    if (optionalTsToMs(config?.workflowExecutionRetentionTtl) === wantedMs) return;
    const workflowExecutionRetentionTtl = msToTs(wantedMs);
    await connection.workflowService.updateNamespace({ namespace, config: { workflowExecutionRetentionTtl } });
  } finally {
    await connection.close();
  }
}

async function stop(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (hasEnded(server)) return;
  const ended = once(server, 'exit');
  server.kill(signal);
  const late = setTimeout(() => server.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(late);
}

const hasEnded = (server: ChildProcess): boolean => server.exitCode !== null || server.signalCode !== null;

const tailOf = async (logFile: string): Promise<string> =>
  (await readFile(logFile, 'utf8')).trimEnd().split('\n').slice(-3).join('\n');

function startFailed(error: unknown, logFile: string, tail: string): ServiceError {
  const why = error instanceof Error ? error.message : String(error);
  return new ServiceError('unavailable', `The Temporal server did not start: ${why}. The end of ${logFile}:\n${tail}`);
}
