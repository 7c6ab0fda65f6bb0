import { runProcess } from '../../src/processes/run-process.ts';

const identity = { name: 'Ada', email: 'ada@example.com' };

/**
 * Runs git in a folder as Ada, without the configuration of the machine, and returns its trimmed output. Throws the text
 * of git's stderr. The launcher starts it, because a test worker needs much longer than git itself to start a program.
 */
export async function runGit(folder: string, ...args: string[]): Promise<string> {
  const settings = [`user.name=${identity.name}`, `user.email=${identity.email}`, 'init.defaultBranch=main'];
  const { status, stdout, stderr, failure } = await runProcess({
    command: 'git',
    args: [...settings.flatMap((setting) => ['-c', setting]), '-c', 'credential.helper=', ...args],
    cwd: folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      // A repo of a test may have files that git would read as its own configuration.
      HOME: '/nonexistent',
      GIT_TERMINAL_PROMPT: '0',
      GIT_CONFIG_NOSYSTEM: '1',
    },
    timeoutMs: 240_000,
    outputBytesMax: 1024 ** 3,
  });
  if (status === 0) return stdout.toString().trim();
  throw new Error(`git ${args.join(' ')}: ${failure ?? stderr.toString()}`);
}
