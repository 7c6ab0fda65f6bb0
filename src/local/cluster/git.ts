import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The Authorization header that a URL needs, if any. */
export type CredentialsFor = (url: string) => Promise<string | undefined>;

/** Runs git with nothing of the machine's own settings; the credential is neither an argument nor kept. */
export async function git(args: string[], authorization?: string): Promise<string> {
  const { stdout } = await run('git', ['-c', 'core.hooksPath=/dev/null', '-c', 'protocol.ext.allow=never', ...args], {
    maxBuffer: 64 * 1024 * 1024,
    env: {
      PATH: process.env['PATH'],
      HOME: '/nonexistent',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      ...(authorization
        ? { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'http.extraHeader', GIT_CONFIG_VALUE_0: `Authorization: ${authorization}` }
        : {}),
    },
  });
  return stdout;
}

/** A bare copy of a repo, kept for the next look. */
export async function mirror(folder: string, url: string): Promise<string> {
  const copy = join(folder, createHash('sha256').update(url).digest('hex').slice(0, 24));
  if (await stat(join(copy, 'HEAD')).catch(() => undefined)) return copy;
  await mkdir(copy, { recursive: true });
  await git(['init', '--quiet', '--bare', copy]);
  return copy;
}
