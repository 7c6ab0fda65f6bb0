import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { ServiceError } from '../../errors.ts';
import { boundedOutput } from './bounded-output.ts';
import type { CommandResult } from './sandbox.ts';

/** A command that prints this many times the output limit is killed. */
const floodFactor = 4000;

export type WaitOptions = { timeoutMs: number; outputBytesMax: number; signal?: AbortSignal };

/** Waits until the command and all its processes have ended. `kill` must end them all. */
export async function waitForExit(child: ChildProcess, kill: () => void, options: WaitOptions): Promise<CommandResult> {
  const output = boundedOutput(options.outputBytesMax);
  let bytes = 0;
  const add = (chunk: Buffer): void => {
    bytes += chunk.length;
    // Endless output would block this process.
    if (bytes > floodFactor * options.outputBytesMax) kill();
    else output.add(chunk);
  };
  child.stdout?.on('data', add);
  child.stderr?.on('data', add);

  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    kill();
  }, options.timeoutMs);
  options.signal?.addEventListener('abort', kill, { once: true });
  if (options.signal?.aborted) kill();
  try {
    const exitCode = await waitForClose(child);
    options.signal?.throwIfAborted();
    return { exitCode, output: output.text(), timedOut };
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', kill);
  }
}

async function waitForClose(child: ChildProcess): Promise<number> {
  return await new Promise((resolve, reject) => {
    child.once('error', (error) => {
      const fix = 'Check that the program exists and may be executed by the service.';
      reject(
        new ServiceError('sandbox-unavailable', `${child.spawnfile} could not be started: ${error.message}. ${fix}`),
      );
    });
    child.once('close', (code, signal) => {
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0));
    });
  });
}
