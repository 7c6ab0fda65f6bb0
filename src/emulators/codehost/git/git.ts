import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runProcess } from '../../../processes/run-process.ts';

/** Larger than any repo of a test or a demo. */
const outputBytesMax = 256 * 1024 * 1024;
const timeoutMs = 5 * 60_000;

type GitOptions = { input?: string | Buffer; env?: Record<string, string> };
type GitResult = { status: number; stdout: Buffer; stderr: string };

export type Git = {
  /** Runs `git <args>` in a bare repository and returns its result for any exit status. */
  attempt(directory: string, args: string[], options?: GitOptions): Promise<GitResult>;
  /** Returns the output without its final newline, and throws for any status other than 0. */
  text(directory: string, args: string[], options?: GitOptions): Promise<string>;
  /** The path of git's CGI program for the HTTP protocol. */
  httpBackend: string;
  env: Record<string, string>;
};

/** Locates git. It runs with the settings below only, so the configuration of the machine has no effect. */
export async function findGit(home: string): Promise<Git> {
  const execPath = await promisify(execFile)('git', ['--exec-path']).then(
    ({ stdout }) => stdout.trim(),
    (error: unknown) => {
      throw new Error('The code host emulator requires git 2.38 or newer on the PATH.', { cause: error });
    },
  );
  const env = {
    PATH: `${execPath}:/usr/bin:/bin`,
    HOME: home,
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    ...toConfigVariables({
      'core.hooksPath': '/dev/null',
      'core.logAllRefUpdates': 'false',
      'core.quotePath': 'false',
      'gc.autoDetach': 'false',
      'safe.directory': '*',
      'receive.hideRefs': 'refs/pull',
      'uploadpack.allowAnySHA1InWant': 'true',
      'uploadpack.allowFilter': 'true',
    }),
  };
  const attempt: Git['attempt'] = async (directory, args, options = {}) => {
    const { status, stdout, stderr, failure } = await runProcess({
      command: join(execPath, 'git'),
      args: [`--git-dir=${directory}`, ...args],
      cwd: '/',
      env: { ...env, ...options.env },
      input: options.input,
      timeoutMs,
      outputBytesMax,
    });
    return { status: failure === undefined ? (status ?? 1) : 1, stdout, stderr: failure ?? stderr.toString('utf8') };
  };
  return {
    attempt,
    text: async (directory, args, options) => {
      const { status, stdout, stderr } = await attempt(directory, args, options);
      if (status !== 0) throw new Error(`git ${args[0]} ended with status ${status}: ${stderr.trim()}`);
      return stdout.toString('utf8').replace(/\n$/, '');
    },
    httpBackend: join(execPath, 'git-http-backend'),
    env,
  };
}

/** Git reads settings from these environment variables. */
function toConfigVariables(settings: Record<string, string>): Record<string, string> {
  const entries = Object.entries(settings);
  const pairs = entries.flatMap(([key, value], index): [string, string][] => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(entries.length), ...Object.fromEntries<string>(pairs) };
}
