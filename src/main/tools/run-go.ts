import { findOnPath } from './find-on-path.ts';
import { lastLine, runProgram } from './run-program.ts';
import type { Progress } from './tool.ts';

export type GoRun = {
  /** `build` or `install` with what follows. */
  args: string[];
  /** In words, with how long it takes on two cores with nothing cached. */
  what: string;
  howLong: string;
};
export type GoPlace = { workDir: string; env: NodeJS.ProcessEnv; onProgress: Progress };

const SAY_EVERY_MS = 5_000;

/** Has Go build something, saying how far it is; answers why it could not, if it could not. */
export async function runGo({ args, what, howLong }: GoRun, place: GoPlace): Promise<{ missing: string } | undefined> {
  const { workDir, env, onProgress } = place;
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
    const [verb = '', ...rest] = args;
    const result = await runProgram(go, [verb, '-v', ...rest], {
      env: { ...env, CGO_ENABLED: '0' },
      cwd: workDir,
      timeoutMs: 20 * 60_000,
      onLine: (line) => {
        // -v names each package as it is compiled, and says "go: downloading …" before that.
        if (!line.startsWith('go: ')) packages += 1;
      },
    });
    return result.ok ? undefined : { missing: `Go could not build it (${lastLine(result.output)})` };
  } finally {
    clearInterval(timer);
  }
}
