import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { findOnPath } from './find-on-path.ts';
import { lastLine, runProgram } from './run-program.ts';
import type { Progress, Tool } from './tool.ts';

export type GoProgram = {
  /** The import path of the command; its last part is the program's name. */
  command: string;
  version: string;
  /** In words, with how long it takes on two cores with nothing cached. */
  what: string;
  howLong: string;
};
export type BuildRequest = { workDir: string; env: NodeJS.ProcessEnv; onProgress: Progress };

const SAY_EVERY_MS = 5_000;

/** Has Go build a program of exactly that version. */
export async function buildWithGo(
  { command, version, what, howLong }: GoProgram,
  { workDir, env, onProgress }: BuildRequest,
): Promise<Tool> {
  const go = await findOnPath('go', env);
  if (go === undefined) return { missing: 'Go, which could build it, is not on PATH' };

  const startedAt = Date.now();
  let packages = 0;
  const say = () => {
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    const stage = packages === 0 ? 'fetching its sources' : `${packages} packages compiled`;
    onProgress(`Building ${what} with Go (once, ${howLong}): ${stage}, ${seconds} s`);
  };
  say();
  const timer = setInterval(say, SAY_EVERY_MS);
  try {
    const bin = join(workDir, 'bin');
    await mkdir(bin);
    // Without the tables for debuggers the program is a third smaller.
    const args = ['install', '-v', '-ldflags=-s -w', `${command}@v${version}`];
    const result = await runProgram(go, args, {
      env: { ...env, GOBIN: bin, CGO_ENABLED: '0' },
      cwd: workDir,
      timeoutMs: 20 * 60_000,
      onLine: (line) => {
        // -v names each package as it is compiled, and says "go: downloading …" before that.
        if (!line.startsWith('go: ')) packages += 1;
      },
    });
    return result.ok
      ? { path: join(bin, basename(command)) }
      : { missing: `Go could not build it (${lastLine(result.output)})` };
  } finally {
    clearInterval(timer);
  }
}
