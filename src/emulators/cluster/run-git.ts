import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { runProcess } from '../../processes/run-process.ts';

const run = promisify(execFile);

export type GitOptions = { authorization?: string | undefined; signal?: AbortSignal };

/** A remote that never responds must not block the work that is queued behind it. */
const timeoutMs = 5 * 60_000;
const outputBytesMax = 64 * 1024 * 1024;

const gitConfig = {
  'core.hooksPath': '/dev/null',
  'protocol.ext.allow': 'never',
  // A background garbage collection would hold locks.
  'gc.auto': '0',
};

let execPath: Promise<string> | undefined;

/** Runs git without the machine's settings. The credential is passed by environment, because arguments are world-readable. */
export async function runGit(args: string[], { authorization, signal }: GitOptions = {}): Promise<string> {
  execPath ??= run('git', ['--exec-path']).then(({ stdout }) => stdout.trim());
  const config = Object.entries(
    authorization ? { ...gitConfig, 'http.extraHeader': `Authorization: ${authorization}` } : gitConfig,
  );
  const entries = config.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  const { status, stdout, stderr, failure } = await runProcess(
    {
      command: 'git',
      args,
      cwd: '/',
      env: {
        PATH: `${await execPath}:/usr/bin:/bin`,
        HOME: '/nonexistent',
        LC_ALL: 'C',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_TERMINAL_PROMPT: '0',
        GIT_CONFIG_COUNT: String(config.length),
        ...(Object.fromEntries(entries) as Record<string, string>),
      },
      timeoutMs,
      outputBytesMax,
    },
    signal,
  );
  if (status === 0 && failure === undefined) return stdout.toString();
  throw new Error(stderr.toString().trim() || failure || `git ${args[0]} ended with status ${status}`);
}
