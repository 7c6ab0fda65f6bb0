import type { Socket } from 'node:net';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Sandbox, SandboxedProcess } from '../../integrations/sandbox/sandbox.ts';
import { type AppConnections, openAppConnections } from './app-connections.ts';
import { AppLog } from './app-log.ts';
import type { Image } from './image-store.ts';
import type { LogFile } from './log-file.ts';
import { measureVolumes, type MountedVolume, watchVolumes } from './watch-volumes.ts';

const bridgePath = fileURLToPath(new URL('./bridge.mjs', import.meta.url));
const serveStaticPath = fileURLToPath(new URL('./serve-static.mjs', import.meta.url));

/** An app listens on this port of its own loopback. */
export const appPort = 3000;

/** An app must listen within this time. */
const readyTimeoutMs = 60_000;
/** The bridge stops the app a little sooner than this. */
const stopTimeoutMs = 3_500;
const lastOutputTimeoutMs = 500;
const lastOutputLines = 10;

/** The exit code of a process and its last output. */
export type ExitInfo = { exitCode: number; lastOutput: string };

/** The bytes on the connections of an app, from the view of the app. */
export type Traffic = { receivedBytes: number; sentBytes: number };

/** The app exited before it listened, or did not listen in time. */
export class StartFailure extends Error {
  readonly exit: ExitInfo;

  constructor(message: string, exit: ExitInfo) {
    super(message);
    this.exit = exit;
  }
}

export type Instance = {
  /** The id of the topmost process. */
  readonly pid: number | undefined;
  readonly startedAtMs: number;
  /** Returns a connection for one request. If the app has exited, it rejects before anything is sent. */
  openConnection(signal: AbortSignal): Promise<Socket>;
  /** The router maintains this count. */
  activeRequests: number;
  /** Resolves when the process has exited for any reason. */
  readonly exited: Promise<void>;
  /** Must be called after `exited` has resolved. */
  getExitInfo(): Promise<ExitInfo>;
  traffic(): Traffic;
  /** Waits up to `drainMs` for open requests, asks the app to stop, and finally kills it. */
  stop(drainMs: number): Promise<void>;
};

export type InstanceOptions = {
  sandbox: Sandbox;
  image: Image;
  /** The source name of this process in the log. */
  name: string;
  environment: Record<string, string>;
  volumes: MountedVolume[];
  memoryLimitBytes?: number;
  logFile: LogFile;
};

/** Starts one process of an app and returns when it accepts connections. Rejects with its last output if it does not. */
export async function startInstance(request: InstanceOptions, signal: AbortSignal): Promise<Instance> {
  const volumes = await measureVolumes(request.volumes);
  const connections = await openAppConnections();
  let app: SandboxedProcess;
  try {
    app = spawnApp(request, connections);
  } catch (error) {
    await connections.close();
    throw error;
  }
  const { child, kill } = app;
  const log = new AppLog(request.logFile);
  const consumers = [child.stdout, child.stderr].map(
    async (output) => output && (await log.consume(output, request.name).catch(() => undefined)),
  );
  const consumed = Promise.all(consumers);
  let spawnError = '';
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', (error) => {
      spawnError = error.message;
      resolve();
    });
  });
  void exited.then(connections.close).catch(() => undefined);
  const watch = watchVolumes(volumes, (reason) => {
    void log.append([reason], request.name).catch(() => undefined);
    kill();
  });
  void exited.then(watch.stop);

  const readiness = AbortSignal.any([signal, AbortSignal.timeout(readyTimeoutMs)]);
  const getExitInfo = async (): Promise<ExitInfo> => {
    // Without a sandbox, surviving child processes may keep the output streams open forever.
    await Promise.race([consumed, sleep(lastOutputTimeoutMs, undefined, { ref: false })]);
    const lastOutput = spawnError || log.lines.slice(-lastOutputLines).join('\n').trim();
    return { exitCode: child.exitCode ?? 128 + (constants.signals[child.signalCode ?? 'SIGKILL'] ?? 0), lastOutput };
  };
  const outcome = await raceByName({ listening: connections.ready, exited, timeout: waitForAbort(readiness) });
  if (outcome === 'listening') return createInstance({ app, connections, exited, getExitInfo });
  kill();
  await exited;
  const exit = await getExitInfo();
  signal.throwIfAborted();
  const cause =
    outcome === 'exited'
      ? 'The app exited before it listened on PORT'
      : `The app did not listen on PORT within ${readyTimeoutMs / 1000} s`;
  throw new StartFailure(`${cause}. Last output: ${exit.lastOutput || '(none)'}`, exit);
}

function spawnApp(request: InstanceOptions, { socketDir }: AppConnections): SandboxedProcess {
  const { sandbox, image, environment, volumes, memoryLimitBytes } = request;
  if (sandbox.appViolation !== undefined) throw new Error(sandbox.appViolation);
  return sandbox.spawn({
    argv: ['node', '/service/bridge.mjs'],
    workspace: { path: image.rootfs, writable: false },
    mounts: [
      { host: bridgePath, inside: '/service/bridge.mjs', writable: false },
      { host: serveStaticPath, inside: '/service/serve-static.mjs', writable: false },
      { host: socketDir, inside: '/service/host', writable: false },
      ...volumes.map(({ host, inside }) => ({ host, inside, writable: true })),
    ],
    environment: {
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(appPort),
      ...environment,
      START_COMMAND: image.startCommand,
    },
    // An app has no time limit.
    limits: { cpuSeconds: 2 ** 31 - 1, ...(memoryLimitBytes === undefined ? {} : { memoryBytes: memoryLimitBytes }) },
  });
}

type RunningProcess = {
  app: SandboxedProcess;
  connections: AppConnections;
  exited: Promise<void>;
  getExitInfo: () => Promise<ExitInfo>;
};

function createInstance({ app: { child, kill }, connections, exited, getExitInfo }: RunningProcess): Instance {
  const traffic = createTrafficCounter();
  const instance: Instance = {
    pid: child.pid,
    startedAtMs: Date.now(),
    async openConnection(signal) {
      const connection = await connections.acquire(signal);
      traffic.count(connection);
      return connection;
    },
    activeRequests: 0,
    exited,
    getExitInfo,
    traffic: traffic.total,
    async stop(drainMs) {
      for (const deadline = Date.now() + drainMs; instance.activeRequests > 0 && Date.now() < deadline;)
        await sleep(20);
      connections.requestStop();
      await Promise.race([exited, sleep(stopTimeoutMs, undefined, { ref: false })]);
      kill();
      await exited;
      // The last output reaches the log file before the pod is removed.
      await getExitInfo();
    },
  };
  return instance;
}

function createTrafficCounter(): { count(connection: Socket): void; total(): Traffic } {
  const open = new Set<Socket>();
  const closed: Traffic = { receivedBytes: 0, sentBytes: 0 };
  const add = (sum: Traffic, connection: Socket): Traffic => ({
    receivedBytes: sum.receivedBytes + connection.bytesWritten,
    sentBytes: sum.sentBytes + connection.bytesRead,
  });
  return {
    count(connection) {
      open.add(connection);
      connection.once('close', () => {
        open.delete(connection);
        Object.assign(closed, add(closed, connection));
      });
    },
    total: () => [...open].reduce(add, closed),
  };
}

async function waitForAbort(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

async function raceByName<K extends string>(promises: Record<K, Promise<void>>): Promise<K> {
  const entries = Object.entries(promises) as [K, Promise<void>][];
  return await Promise.race(entries.map(async ([name, promise]) => await promise.then(() => name)));
}
