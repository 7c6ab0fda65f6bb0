import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The Authorization header that a URL needs, if any. */
export type CredentialsFor = (url: string) => Promise<string | undefined>;

export type GitOptions = { authorization?: string | undefined; signal?: AbortSignal };

/** A remote that answers nothing must not hold up what waits for its turn. */
const timeoutMs = 5 * 60_000;

const settings = {
  'core.hooksPath': '/dev/null',
  'protocol.ext.allow': 'never',
  // A background clean-up would hold locks of ours.
  'gc.auto': '0',
};

let execPath: Promise<string> | undefined;

/** Runs git with nothing of the machine's own settings; the credential is not an argument, which others could read. */
export async function git(args: string[], { authorization, signal }: GitOptions = {}): Promise<string> {
  execPath ??= run('git', ['--exec-path']).then(({ stdout }) => stdout.trim());
  const config = Object.entries(
    authorization ? { ...settings, 'http.extraHeader': `Authorization: ${authorization}` } : settings,
  );
  const entries = config.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  try {
    const { stdout } = await run('git', args, {
      maxBuffer: 64 * 1024 * 1024,
      timeout: timeoutMs,
      ...(signal ? { signal } : {}),
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
    });
    return stdout;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(stderr?.trim() || message, { cause: error });
  }
}
