import { spawn } from 'node:child_process';

export type RunOptions = {
  env: NodeJS.ProcessEnv;
  cwd?: string;
  timeoutMs: number;
  onLine?: (line: string) => void;
};

/** Runs a program until it exits; `output` is its stdout and stderr in order. */
export function runProgram(
  command: string,
  args: string[],
  { env, cwd, timeoutMs, onLine }: RunOptions,
): Promise<{ ok: boolean; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: timeoutMs });
    let output = '';
    const append = (chunk: Buffer) => {
      const text = chunk.toString();
      output += text;
      if (onLine) for (const line of text.split('\n')) if (line !== '') onLine(line);
    };
    child.stdout.on('data', append);
    child.stderr.on('data', append);
    child.on('error', (error) => resolve({ ok: false, output: error.message }));
    child.on('close', (status) => resolve({ ok: status === 0, output: output.trim() }));
  });
}

export const lastLine = (output: string): string => output.trimEnd().split('\n').at(-1) ?? '';
