import type { ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Sandbox } from '../../integrations/sandbox/sandbox.ts';
import { AppLog, type LogFile } from './app-log.ts';
import type { Image } from './image-store.ts';
import { type Lines, openLines } from './lines.ts';

const bridge = fileURLToPath(new URL('./bridge.mjs', import.meta.url));
const serveStatic = fileURLToPath(new URL('./serve-static.mjs', import.meta.url));

/** How long an app may take until it listens. */
const readyWithinMs = 20_000;
/** A little more than the bridge gives the app to end in good order. */
const stopWithinMs = 3_500;
const lastWordsWithinMs = 500;
const lastWordsLines = 10;

/** How a process ended, and what it wrote last. */
export type Ended = { exitCode: number; words: string };

/** Bytes on the lines to an app, as it sees them. */
export type Traffic = { receivedBytes: number; sentBytes: number };

/** The app ended before it listened, or did not listen in time. */
export class StartFailure extends Error {
  readonly ended: Ended;

  constructor(message: string, ended: Ended) {
    super(message);
    this.ended = ended;
  }
}

export type Instance = {
  /** The first of its processes. */
  readonly pid: number | undefined;
  readonly startedAtMs: number;
  /** A line to the app for one request; refused when the app is gone, and then nothing was sent. */
  open(signal: AbortSignal): Promise<Socket>;
  /** Counted by the router. */
  openRequests: number;
  /** Resolves when the process has ended, whoever ended it. */
  readonly ended: Promise<void>;
  /** Once it has ended. */
  whatEnded(): Promise<Ended>;
  traffic(): Traffic;
  /** Lets open requests finish for as long as that, asks the app to end, and ends it. */
  retire(drainMs: number): Promise<void>;
};

export type InstanceRequest = {
  sandbox: Sandbox;
  image: Image;
  /** What the log calls this process. */
  name: string;
  environment: Record<string, string>;
  volumes: { host: string; inside: string }[];
  memoryBytes?: number;
  logFile: LogFile;
};

/** Starts one process of an app and answers once it takes connections; refused with its last words when it does not. */
export async function startInstance(request: InstanceRequest, signal: AbortSignal): Promise<Instance> {
  const lines = await openLines();
  let child: ChildProcess;
  try {
    child = spawnApp(request, lines);
  } catch (error) {
    await lines.close();
    throw error;
  }
  const log = new AppLog(request.logFile);
  const hearing = [child.stdout, child.stderr].map(
    async (output) => output && (await log.read(output, request.name).catch(() => undefined)),
  );
  const heard = Promise.all(hearing);
  let fault = '';
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', (error) => {
      fault = error.message;
      resolve();
    });
  });
  void ended.then(lines.close).catch(() => undefined);

  const readiness = AbortSignal.any([signal, AbortSignal.timeout(readyWithinMs)]);
  const whatEnded = async (): Promise<Ended> => {
    // Where no sandbox ends what it started, that may hold on to its output for ever.
    await Promise.race([heard, sleep(lastWordsWithinMs, undefined, { ref: false })]);
    const words = fault || log.lines.slice(-lastWordsLines).join('\n').trim();
    return { exitCode: child.exitCode ?? 128 + (constants.signals[child.signalCode ?? 'SIGKILL'] ?? 0), words };
  };
  const outcome = await firstOf({ listens: lines.opened, ended, 'too-late': aborted(readiness) });
  if (outcome === 'listens') return instanceOf({ child, lines, ended, whatEnded });
  child.kill('SIGKILL');
  await ended;
  const how = await whatEnded();
  signal.throwIfAborted();
  const what =
    outcome === 'ended'
      ? 'The app ended before it listened on PORT'
      : `The app did not listen on PORT within ${readyWithinMs / 1000} s`;
  throw new StartFailure(`${what}. Its last words: ${how.words || '(none)'}`, how);
}

function spawnApp(request: InstanceRequest, { folder }: Lines): ChildProcess {
  const { sandbox, image, environment, volumes, memoryBytes } = request;
  for (const { host } of volumes) mkdirSync(host, { recursive: true });
  return sandbox.spawn({
    argv: ['node', '/service/bridge.mjs'],
    workspace: { path: image.rootfs, writable: false },
    mounts: [
      { host: bridge, inside: '/service/bridge.mjs', writable: false },
      { host: serveStatic, inside: '/service/serve-static.mjs', writable: false },
      { host: folder, inside: '/service/host', writable: false },
      ...volumes.map((volume) => ({ ...volume, writable: true })),
    ],
    environment: {
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: '3000',
      ...environment,
      START_COMMAND: image.start,
    },
    // An app runs for as long as its zone does.
    limits: { cpuSeconds: 2 ** 31 - 1, ...(memoryBytes === undefined ? {} : { memoryBytes }) },
  });
}

type Started = { child: ChildProcess; lines: Lines; ended: Promise<void>; whatEnded: () => Promise<Ended> };

function instanceOf({ child, lines, ended, whatEnded }: Started): Instance {
  const traffic = countTraffic();
  const instance: Instance = {
    pid: child.pid,
    startedAtMs: Date.now(),
    async open(signal) {
      const line = await lines.take(signal);
      traffic.count(line);
      return line;
    },
    openRequests: 0,
    ended,
    whatEnded,
    traffic: traffic.total,
    async retire(drainMs) {
      for (const giveUpAt = Date.now() + drainMs; instance.openRequests > 0 && Date.now() < giveUpAt;) await sleep(20);
      lines.askToStop();
      await Promise.race([ended, sleep(stopWithinMs, undefined, { ref: false })]);
      child.kill('SIGKILL');
      await ended;
      // Its last words are kept.
      await whatEnded();
    },
  };
  return instance;
}

function countTraffic(): { count(line: Socket): void; total(): Traffic } {
  const open = new Set<Socket>();
  const over: Traffic = { receivedBytes: 0, sentBytes: 0 };
  const add = (sum: Traffic, line: Socket): Traffic => ({
    receivedBytes: sum.receivedBytes + line.bytesWritten,
    sentBytes: sum.sentBytes + line.bytesRead,
  });
  return {
    count(line) {
      open.add(line);
      line.once('close', () => {
        open.delete(line);
        Object.assign(over, add(over, line));
      });
    },
    total: () => [...open].reduce(add, over),
  };
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

async function firstOf<K extends string>(promises: Record<K, Promise<void>>): Promise<K> {
  const entries = Object.entries(promises) as [K, Promise<void>][];
  return await Promise.race(entries.map(async ([name, promise]) => await promise.then(() => name)));
}
