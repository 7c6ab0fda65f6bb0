import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { endsWithParent } from '../../../src/main/tools/ends-with-parent.mjs';

export type Program = { executable: string; flags: Record<string, string>; args?: string[]; env?: NodeJS.ProcessEnv };
export type Running = {
  /** Resolves once the question is answered with yes; fails, with the end of the log, when the program ends before. */
  until(isReady: () => Promise<boolean>): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<void>;
};

// Seconds on an idle machine; a busy one gets its time.
const READY_MS = 90_000;
const STOP_MS = 5_000;

/** Runs a program beside this process for as long as this process lives. */
export async function startProgram(name: string, program: Program, logFile: string): Promise<Running> {
  const flags = Object.entries(program.flags).map(([flag, value]) => `--${flag}=${value}`);
  const { command, args } = endsWithParent('SIGKILL', program.executable, [...(program.args ?? []), ...flags]);
  const log = await open(logFile, 'a');
  const child = spawn(command, args, {
    stdio: ['ignore', log.fd, log.fd],
    env: { PATH: process.env['PATH'], ...program.env },
  });
  await once(child, 'spawn').finally(() => log.close());

  return {
    async until(isReady) {
      for (const deadline = Date.now() + READY_MS; !(await isReady().catch(() => false)); await pause(50)) {
        const why = hasEnded(child) ? 'ended' : Date.now() > deadline ? `was not ready in ${READY_MS / 1000} s` : '';
        if (why) throw new Error(`${name} ${why}:\n${await tailOf(logFile)}`);
      }
    },
    async stop(signal = 'SIGKILL') {
      if (hasEnded(child)) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await ended;
      clearTimeout(late);
    },
  };
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

const tailOf = async (logFile: string): Promise<string> =>
  (await readFile(logFile, 'utf8')).trimEnd().split('\n').slice(-8).join('\n');
