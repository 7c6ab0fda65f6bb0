import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findOnPath } from './find-on-path.ts';
import { lastLine, runProgram } from './run-program.ts';
import type { Progress, Tool } from './tool.ts';

export type BuildRequest = { version: string; workDir: string; env: NodeJS.ProcessEnv; onProgress: Progress };

const SAY_EVERY_MS = 5_000;

/** Two to three minutes on two cores with nothing cached. */
export async function buildTemporal({ version, workDir, env, onProgress }: BuildRequest): Promise<Tool> {
  const go = await findOnPath('go', env);
  if (go === undefined) return { missing: 'Go, which could build it, is not on PATH' };

  const startedAt = Date.now();
  let packages = 0;
  const say = () => {
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    const what = packages === 0 ? 'fetching its sources' : `${packages} packages compiled`;
    onProgress(`Building the Temporal server with Go (once, 2 to 3 minutes): ${what}, ${seconds} s`);
  };
  say();
  const timer = setInterval(say, SAY_EVERY_MS);
  try {
    const bin = join(workDir, 'bin');
    await mkdir(bin);
    // Without the tables for debuggers the program is a third smaller.
    const args = ['install', '-v', '-ldflags=-s -w', `github.com/temporalio/cli/cmd/temporal@v${version}`];
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
      ? { path: join(bin, 'temporal') }
      : { missing: `Go could not build it (${lastLine(result.output)})` };
  } finally {
    clearInterval(timer);
  }
}
