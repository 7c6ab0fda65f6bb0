import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';

export type ProcessStart = {
  command: string;
  args: string[];
  cwd: string;
  /** The whole environment: nothing is inherited. */
  env: Record<string, string>;
  input?: string | Uint8Array | undefined;
  timeoutMs: number;
  /** The limit of stdout and of stderr. */
  outputBytesMax: number;
};
/** `status` is null after a signal. `failure` is set when the program did not start or was killed for a limit. */
export type ProcessResult = { status: number | null; stdout: Buffer; stderr: Buffer; failure?: string };

export type LauncherRequest = { id: number; start: ProcessStart } | { id: number; kill: true };
export type LauncherResponse = ProcessResult & { id: number };

type Launcher = { child: ChildProcess; pending: Map<number, (result: ProcessResult) => void> };

let launcher: Launcher | undefined;
let lastId = 0;

/**
 * Runs a program to its end. A small child process starts it, because starting a program from a process of several
 * hundred megabytes blocks that process for 10 to 30 ms. When this process dies, the child kills what it has started.
 * Throws the reason of an aborted signal.
 */
export async function runProcess(start: ProcessStart, signal?: AbortSignal): Promise<ProcessResult> {
  signal?.throwIfAborted();
  const { child, pending } = (launcher ??= startLauncher());
  const id = (lastId += 1);
  const result = await new Promise<ProcessResult>((resolve) => {
    const kill = (): void => void child.send({ id, kill: true } satisfies LauncherRequest);
    pending.set(id, (result) => {
      signal?.removeEventListener('abort', kill);
      resolve(result);
    });
    signal?.addEventListener('abort', kill, { once: true });
    child.channel?.ref();
    child.send({ id, start } satisfies LauncherRequest, (error) => {
      if (error) settle({ child, pending }, id, toFailedResult(error.message));
    });
  });
  signal?.throwIfAborted();
  return result;
}

function startLauncher(): Launcher {
  const child = fork(join(import.meta.dirname, 'launcher.ts'), [], {
    // Secrets of the service stay in its own process.
    env: {},
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const started: Launcher = { child, pending: new Map() };
  child.on('message', ({ id, ...result }: LauncherResponse) => settle(started, id, result));
  child.on('error', () => {});
  child.on('exit', () => {
    if (launcher === started) launcher = undefined;
    for (const id of started.pending.keys()) settle(started, id, toFailedResult('its launcher ended'));
  });
  child.unref();
  child.channel?.unref();
  return started;
}

function settle({ child, pending }: Launcher, id: number, result: ProcessResult): void {
  const resolve = pending.get(id);
  pending.delete(id);
  // An idle launcher does not keep this process alive.
  if (pending.size === 0) child.channel?.unref();
  resolve?.(result);
}

const toFailedResult = (failure: string): ProcessResult => ({
  status: null,
  stdout: Buffer.of(),
  stderr: Buffer.of(),
  failure,
});
