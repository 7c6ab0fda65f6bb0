import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Connection, type ConnectionOptions } from '@temporalio/client';
import { msToTs, optionalTsToMs } from '@temporalio/common/lib/time.js';
import { ServiceError } from '../../errors.ts';
import { assertPortFree, getFreePort, retryLostPort } from '../process/ports.ts';
import { killOnExit } from '../tools/kill-on-exit.ts';
import { withParentDeathSignal } from '../tools/parent-death-signal.mjs';
import type { TemporalSettings } from './read-temporal-settings.ts';
import {
  buildUiUrl,
  createPrivateFolder,
  readTls,
  type TemporalCredentials,
  toCredentials,
} from './server-credentials.ts';
import { stopStaleServer, type ServerRecord } from './stop-stale-server.ts';

export type TemporalServer = {
  address: string;
  /** The address of the Web UI, with the secret that it demands. */
  uiUrl?: string;
  credentials?: TemporalCredentials;
  /** Resolves with the cause when the server ends before it is closed. */
  ended: Promise<string>;
  close(): Promise<void>;
};

export type TemporalServerOptions = {
  executable: string;
  settings: TemporalSettings;
  logFile: string;
  /** 0 selects a free port. */
  port: number;
  /**
   * The folder for the credentials of this start. With it, every port of the server demands a client certificate, and
   * the Web UI a secret; without it, the server obeys every process on this machine.
   */
  credentialsDir?: string;
  /** The server has no Web UI without it. It requires `credentialsDir`. */
  uiPort?: number;
  /** The folder of the database. Without it the server keeps everything in memory. */
  dataDir?: string;
  /** The option that sets the ports, named in the error about a port in use. */
  portsConfiguredBy?: string;
};

// A warm start takes 100 ms, but a machine that is busy building takes much longer.
const START_TIMEOUT_MS = 120_000;
// The server waits one second for its callers, then unloads its shard.
const STOP_TIMEOUT_MS = 5_000;

/**
 * Starts Temporal's server for one machine and resolves once it serves. The server dies with this process, and starts again
 * when it loses a port, because it chooses the ports of its services itself.
 */
export const startTemporalServer = async (options: TemporalServerOptions): Promise<TemporalServer> =>
  await retryLostPort(async () => await startOnce(options));

async function startOnce(options: TemporalServerOptions): Promise<TemporalServer> {
  const { dataDir, uiPort, settings, logFile, credentialsDir } = options;
  const files = dataDir === undefined ? undefined : await prepareDataDir(dataDir);
  if (credentialsDir !== undefined) await createPrivateFolder(credentialsDir);
  await assertPortsFree(options);
  const port = options.port || (await getFreePort());
  const server = await spawnServer(
    options,
    toServerFlags(settings, { port, uiPort, database: files?.database, credentialsDir }),
  );
  const record: ServerRecord = { pid: server.pid ?? 0, ownerPid: process.pid };
  if (files) await writeFile(files.pid, JSON.stringify(record));
  let isClosing = false;
  const ended = new Promise<string>((resolve) => {
    server.once('exit', () => !isClosing && resolve(describeExit(server)));
  });
  const close = async () => {
    isClosing = true;
    await stopServer(server, files ? 'SIGTERM' : 'SIGKILL');
    if (files) await rm(files.pid, { force: true });
  };
  const address = `127.0.0.1:${port}`;
  const credentials = credentialsDir === undefined ? undefined : toCredentials(credentialsDir);
  try {
    for (const one of [port, uiPort]) if (one) await waitUntilServing(server, one);
    await setRetention(settings, { address, ...(credentials && { tls: await readTls(credentials) }) });
  } catch (error) {
    await close();
    throw toStartError(error, logFile, await readLogTail(logFile));
  }
  return {
    address,
    ended,
    close,
    ...(credentials && { credentials }),
    ...(uiPort && credentialsDir !== undefined && { uiUrl: await buildUiUrl(uiPort, credentialsDir) }),
  };
}

async function prepareDataDir(dataDir: string): Promise<{ database: string; pid: string }> {
  await mkdir(dataDir, { recursive: true });
  // The path is absolute because a stale server is recognized by it.
  const files = { database: resolve(dataDir, 'temporal.db'), pid: resolve(dataDir, 'temporal.pid') };
  await stopStaleServer(files.pid, files.database);
  return files;
}

async function assertPortsFree({
  port,
  uiPort,
  portsConfiguredBy: configuredBy = '--port',
}: TemporalServerOptions): Promise<void> {
  if (port !== 0) await assertPortFree({ port, purpose: 'the Temporal server', configuredBy });
  if (uiPort) await assertPortFree({ port: uiPort, purpose: 'the Temporal Web UI', configuredBy });
}

function toServerFlags(
  settings: TemporalSettings,
  listen: {
    port: number;
    uiPort: number | undefined;
    database: string | undefined;
    credentialsDir: string | undefined;
  },
): string[] {
  const each = (flag: string, values: Record<string, string>) =>
    Object.entries(values).flatMap(([key, value]) => [flag, `${key}=${value}`]);
  const asJson = Object.entries(settings.dynamicConfig).map(([key, value]) => [key, JSON.stringify(value)] as const);
  return [
    `--port=${listen.port}`,
    `--namespace=${settings.namespace}`,
    ...(listen.uiPort ? [`--ui-port=${listen.uiPort}`] : []),
    ...(listen.credentialsDir === undefined ? [] : [`--credentials=${listen.credentialsDir}`]),
    ...(listen.database ? ['--db-filename', listen.database, ...each('--sqlite-pragma', settings.sqlitePragmas)] : []),
    ...each('--search-attribute', settings.searchAttributes),
    ...each('--dynamic-config-value', Object.fromEntries(asJson)),
  ];
}

async function spawnServer({ executable, logFile }: TemporalServerOptions, flags: string[]): Promise<ChildProcess> {
  await mkdir(dirname(logFile), { recursive: true });
  const log = await open(logFile, 'w');
  try {
    const { command, args } = withParentDeathSignal('SIGKILL', executable, flags);
    const server = spawn(command, args, {
      stdio: ['ignore', log.fd, log.fd],
      // A separate process group protects the server from Ctrl-C while workers are still draining.
      detached: true,
      // The environment omits the user's own Temporal settings.
      env: { PATH: process.env['PATH'] },
    });
    killOnExit(server);
    await once(server, 'spawn');
    return server;
  } finally {
    await log.close();
  }
}

async function waitUntilServing(server: ChildProcess, port: number): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await isListening(port))) {
    if (hasExited(server)) throw new Error(`it ${describeExit(server)}`);
    if (Date.now() > deadline) throw new Error(`it did not respond within ${START_TIMEOUT_MS / 1000} s`);
    await pause(5);
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((answer) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => answer(socket.destroy() !== undefined));
    socket.on('error', () => answer(false));
  });
}

/** The server retains runs for one day in a new namespace. */
async function setRetention({ namespace, retentionDays }: TemporalSettings, options: ConnectionOptions): Promise<void> {
  const connection = await Connection.connect({
    ...options,
    connectTimeout: START_TIMEOUT_MS,
    // The library would send a call to this machine through the proxy of the environment.
    channelArgs: { 'grpc.enable_http_proxy': 0 },
  });
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

async function stopServer(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (hasExited(server)) return;
  const exited = once(server, 'exit');
  server.kill(signal);
  const killTimer = setTimeout(() => server.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(killTimer);
}

const describeExit = ({ signalCode, exitCode }: ChildProcess): string =>
  `exited with ${signalCode ?? `status ${exitCode}`}`;

const hasExited = (server: ChildProcess): boolean => server.exitCode !== null || server.signalCode !== null;

const readLogTail = async (logFile: string): Promise<string> =>
  (await readFile(logFile, 'utf8')).trimEnd().split('\n').slice(-3).join('\n');

function toStartError(error: unknown, logFile: string, tail: string): ServiceError {
  const why = error instanceof Error ? error.message : String(error);
  return new ServiceError('unavailable', `The Temporal server did not start: ${why}. The end of ${logFile}:\n${tail}`);
}
