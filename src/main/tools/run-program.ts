import { spawn } from 'node:child_process';
import { killGroup, killOnExit } from './kill-on-exit.ts';

export type RunOptions = {
  env: NodeJS.ProcessEnv;
  cwd?: string;
  /** The program is killed after this time without output. */
  silenceMs: number;
  onLine?: (line: string) => void;
};

/** Runs a program until it exits; `output` is its stdout and stderr. An exit of this process ends the program. */
export function runProgram(
  command: string,
  args: string[],
  { env, cwd, silenceMs, onLine }: RunOptions,
): Promise<{ ok: boolean; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    killOnExit(child);
    let output = '';
    let isSilent = false;
    const timer = setTimeout(() => {
      isSilent = true;
      killGroup(child);
    }, silenceMs);
    const append = (chunk: Buffer) => {
      timer.refresh();
      const text = chunk.toString();
      output += text;
      if (onLine) for (const line of text.split('\n')) if (line !== '') onLine(line);
    };
    child.stdout.on('data', append);
    child.stderr.on('data', append);
    const end = (result: { ok: boolean; output: string }): void => {
      clearTimeout(timer);
      resolve(result);
    };
    child.on('error', (error) => end({ ok: false, output: error.message }));
    child.on('close', (status) => {
      const reason = isSilent ? `\nIt was ended after ${Math.round(silenceMs / 1000)} s without output.` : '';
      end({ ok: status === 0, output: `${output.trim()}${reason}` });
    });
  });
}

export const lastLine = (output: string): string => output.trimEnd().split('\n').at(-1) ?? '';
