import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listGroup, stopStaleServer } from '../temporal/stop-stale-server.ts';
import { withParentDeathSignal } from '../tools/parent-death-signal.mjs';
import { killGroup } from '../tools/kill-on-exit.ts';

type ProgramOptions = {
  command: readonly [string, ...string[]];
  args: readonly string[];
  environment: NodeJS.ProcessEnv;
  logFile: string;
  /** The file with the process id, by which the next start finds a process that outlived this one. */
  pidFile: string;
  /** The folder of the program's data, which its command line contains. */
  dataDir: string;
  /** Rejects when the program cannot be started now. */
  beforeStart: () => Promise<void>;
  isReady: () => Promise<boolean>;
  /** Called with undefined when the program is ready, and with the cause when it has ended. */
  onChange: (cause: string | undefined) => void;
  /** The time after which a program that does not end is killed; by default 5 s. */
  stopTimeoutMs?: number;
  /** The wait before another start, which doubles up to a minute with each program that ends soon; by default 1 s. */
  backoffMs?: number;
};

const defaultStopTimeoutMs = 5_000;
const readyPollMs = 200;
const defaultBackoffMs = 1_000;
const backoffMsMax = 60_000;
/** A program that ran this long is healthy, so its next start is not delayed for long. */
const goodRunMs = 60_000;

/** Keeps a program running until it is closed. The program ends with this process, however this process ends. */
export async function superviseProgram(options: ProgramOptions): Promise<{ close(): Promise<void> }> {
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  await stopStaleServer(options.pidFile, options.dataDir);
  const closing = new AbortController();
  const running = superviseUntil(options, closing.signal);
  return {
    async close() {
      closing.abort();
      await running;
      await rm(options.pidFile, { force: true });
    },
  };
}

async function superviseUntil(options: ProgramOptions, signal: AbortSignal): Promise<void> {
  const { backoffMs = defaultBackoffMs } = options;
  for (let waitMs = backoffMs; !signal.aborted;) {
    const startedAt = performance.now();
    const cause = await runOnce(options, signal).catch((error: Error) => error.message);
    options.onChange(cause);
    waitMs = performance.now() - startedAt > goodRunMs ? backoffMs : Math.min(2 * waitMs, backoffMsMax);
    if (!signal.aborted) await sleep(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

async function runOnce(options: ProgramOptions, signal: AbortSignal): Promise<string> {
  await options.beforeStart();
  const child = await spawnProgram(options);
  const exited = once(child, 'exit');
  // Measuring must not slow down what is measured.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  await writeFile(options.pidFile, JSON.stringify({ pid: child.pid, ownerPid: process.pid }));
  const ended = new AbortController();
  void waitUntilReady(options, AbortSignal.any([signal, ended.signal]));
  const stop = (): void => {
    void terminate(child);
    setTimeout(() => child.kill('SIGKILL'), options.stopTimeoutMs ?? defaultStopTimeoutMs).unref();
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  await exited;
  ended.abort();
  signal.removeEventListener('abort', stop);
  // A program in a sandbox has a parent, which may end before it has told the kernel to end the program with it.
  killGroup(child);
  return `it ended with ${child.signalCode ?? `status ${child.exitCode}`}.`;
}

/** Asks a program to save its state and end. A sandbox would pass the signal on as SIGKILL, so the program gets it itself. */
async function terminate(child: ChildProcess): Promise<void> {
  const group = child.pid === undefined ? [] : await listGroup(child.pid);
  const programs = group.filter(({ pid }) => group.every(({ parentPid }) => parentPid !== pid));
  if (programs.length === 0) child.kill('SIGTERM');
  for (const { pid } of programs)
    try {
      process.kill(pid, 'SIGTERM');
    } catch {
      // It has ended meanwhile.
    }
}

async function spawnProgram({ command, args, environment, logFile }: ProgramOptions): Promise<ChildProcess> {
  await mkdir(dirname(logFile), { recursive: true });
  const log = await open(logFile, 'w', 0o600);
  try {
    const [executable, ...prefix] = command;
    const line = withParentDeathSignal('SIGKILL', executable, [...prefix, ...args]);
    // A separate process group protects the program from Ctrl-C, so that it is stopped in order.
    const child = spawn(line.command, line.args, {
      stdio: ['ignore', log.fd, log.fd],
      detached: true,
      env: environment,
    });
    await once(child, 'spawn');
    return child;
  } finally {
    await log.close();
  }
}

async function waitUntilReady({ isReady, onChange }: ProgramOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if (await isReady().catch(() => false)) return signal.aborted ? undefined : onChange(undefined);
    await sleep(readyPollMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
