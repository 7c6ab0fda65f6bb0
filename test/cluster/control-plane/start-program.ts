import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { withParentDeathSignal } from '../../../src/main/tools/parent-death-signal.mjs';

export type Program = { executable: string; flags: Record<string, string>; args?: string[]; env?: NodeJS.ProcessEnv };
export type RunningProgram = {
  /** Resolves once `isReady` returns true. Rejects with the end of the log if the program exits before. */
  waitUntilReady(isReady: () => Promise<boolean>): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<void>;
};

// An idle machine needs seconds, but a busy one much longer.
const READY_TIMEOUT_MS = 90_000;
const STOP_TIMEOUT_MS = 60_000;

/** Starts a program that ends with this process. */
export async function startProgram(name: string, program: Program, logFile: string): Promise<RunningProgram> {
  const flags = Object.entries(program.flags).map(([flag, value]) => `--${flag}=${value}`);
  const { command, args } = withParentDeathSignal('SIGKILL', program.executable, [...(program.args ?? []), ...flags]);
  const log = await open(logFile, 'a');
  const child = spawn(command, args, {
    stdio: ['ignore', log.fd, log.fd],
    env: { PATH: process.env['PATH'], ...program.env },
  });
  await once(child, 'spawn').finally(() => log.close());

  return {
    async waitUntilReady(isReady) {
      for (const deadline = Date.now() + READY_TIMEOUT_MS; !(await isReady().catch(() => false)); await pause(50)) {
        const failure = hasExited(child)
          ? 'exited'
          : Date.now() > deadline
            ? `was not ready in ${READY_TIMEOUT_MS / 1000} s`
            : '';
        if (failure) throw new Error(`${name} ${failure}:\n${await readLogTail(logFile)}`);
      }
    },
    async stop(signal = 'SIGKILL') {
      if (hasExited(child)) return;
      const exited = once(child, 'exit');
      child.kill(signal);
      const killTimer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(killTimer);
    },
  };
}

const hasExited = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

const readLogTail = async (logFile: string): Promise<string> =>
  (await readFile(logFile, 'utf8')).trimEnd().split('\n').slice(-8).join('\n');
