import { findOnPath } from '../find-on-path.ts';
import { withParentDeathSignal } from '../parent-death-signal.mjs';
import { lastLine, runProgram } from '../run-program.ts';
import type { Progress } from '../tool.ts';

export type GoRun = {
  /** `build` or `install` with its arguments. */
  args: string[];
  /** Values of string variables that the linker sets, by variable name. */
  linkerVariables?: Record<string, string>;
  label: string;
  /** The build time on two cores with an empty cache, such as `2 to 3 minutes`. */
  expectedDuration: string;
};
export type GoBuildContext = { workDir: string; env: NodeJS.ProcessEnv; onProgress: Progress };

const PROGRESS_INTERVAL_MS = 5_000;

/** Without debug data and with fewer garbage collections, a build takes a fifth less time and a program a third less space. */
const withoutDebugData = { compiler: '-gcflags=all=-dwarf=false', linker: '-ldflags=-s -w' };
const fewerCollections = { GOGC: '400' };

/** Distributions configure Go to refuse a module that names a newer Go, which it could download; a person's variable holds. */
const ownToolchain = { GOTOOLCHAIN: 'auto' };

/** Runs a Go build and reports its progress. Returns the reason and its fix if it fails. */
export async function runGo(
  { args, linkerVariables = {}, label, expectedDuration }: GoRun,
  context: GoBuildContext,
): Promise<{ missing: string; fix: string } | undefined> {
  const { workDir, env, onProgress } = context;
  const go = await findOnPath('go', env);
  if (go === undefined)
    return {
      missing: 'Go is not on PATH to build it',
      fix: 'Install Go 1.21 or newer (https://go.dev/dl) and try again.',
    };

  const startedAt = Date.now();
  let packages = 0;
  const report = () => {
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    const stage = packages === 0 ? 'downloading its sources' : `${packages} packages compiled`;
    onProgress(`Building ${label} with Go (once, ${expectedDuration}): ${stage}, ${seconds} s`);
  };
  report();
  const timer = setInterval(report, PROGRESS_INTERVAL_MS);
  try {
    const [verb = '', ...rest] = args;
    const variables = Object.entries(linkerVariables).map(([name, value]) => ` -X ${name}=${value}`);
    const linker = `${withoutDebugData.linker}${variables.join('')}`;
    const options = ['-v', withoutDebugData.compiler, linker];
    // A killed platform would otherwise leave a build behind, which slows down the one of the next start.
    const line = withParentDeathSignal('SIGKILL', go, [verb, ...options, ...rest]);
    const result = await runProgram(line.command, line.args, {
      env: { ...ownToolchain, ...env, ...fewerCollections, CGO_ENABLED: '0' },
      cwd: workDir,
      // A busy machine needs many times the expected duration, but compiles a package now and then.
      silenceMs: 60 * 60_000,
      onLine: (line) => {
        // With -v, Go prints each compiled package, and "go: downloading …" before that.
        if (!line.startsWith('go: ')) packages += 1;
      },
    });
    if (result.ok) return undefined;
    return {
      missing: `Go could not build it (${lastLine(result.output)})`,
      fix: 'Fix this error and try again: the build needs Go 1.21 or newer, and the network for its sources.',
    };
  } finally {
    clearInterval(timer);
  }
}
