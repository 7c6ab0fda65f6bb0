import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

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
  const attempt: Git['attempt'] = (directory, args, options = {}) =>
    runProcess(join(execPath, 'git'), [`--git-dir=${directory}`, ...args], {
      input: options.input,
      env: { ...env, ...options.env },
    });
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

function runProcess(
  command: string,
  args: string[],
  { input, env }: { input: string | Buffer | undefined; env: Record<string, string> },
): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: 'pipe' });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.on('error', reject);
    child.on('close', (status) =>
      resolve({ status: status ?? 1, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString('utf8') }),
    );
    // A command that fails early closes its input; its exit status is more useful than the broken pipe.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}
