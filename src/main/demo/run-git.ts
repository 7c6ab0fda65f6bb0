import { spawn } from 'node:child_process';

export type GitResult = { ok: boolean; stdout: string; stderr: string };
export type GitRunOptions = {
  env?: Record<string, string>;
  /** Receives git's progress, such as "Receiving objects: 45%". */
  onProgress?: (progress: string) => void;
};

/** Runs git with the settings of the person who started the demo, because the repository is theirs. */
export async function runGit(args: string[], { env = {}, onProgress }: GitRunOptions = {}): Promise<GitResult> {
  const child = spawn('git', args, {
    env: { ...process.env, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => {
    const text = chunk.toString();
    stderr = (stderr + text).slice(-20_000);
    const progress = text.match(/[A-Z][a-z]+ing [a-z]+: +\d+%/g)?.at(-1);
    if (progress) onProgress?.(progress);
  });
  return await new Promise((resolve) => {
    child.once('error', (error) => resolve({ ok: false, stdout, stderr: error.message }));
    child.once('close', (code) => resolve({ ok: code === 0, stdout: stdout.trim(), stderr }));
  });
}
