import { tmpdir } from 'node:os';
import type { Sandbox } from '../../integrations/sandbox/sandbox.ts';
import type { MissingLanguages } from '../../rules/products/templates.ts';
import { findOnPath } from '../tools/find-on-path.ts';
import { runProgram } from '../tools/run-program.ts';

export type BuildLanguages = { goRoot: string | undefined; missing: MissingLanguages };

/** Finds the languages that builds and apps can use on this machine. */
export async function findBuildLanguages(environment: NodeJS.ProcessEnv, sandbox: Sandbox): Promise<BuildLanguages> {
  const { violation } = sandbox;
  if (violation !== undefined)
    return { goRoot: undefined, missing: { node: violation, python: violation, go: violation } };
  const [goRoot, hasPython] = await Promise.all([findGoRoot(environment), findPython(sandbox)]);
  const fix = 'and start the platform again.';
  return {
    goRoot,
    missing: {
      ...(!hasPython && { python: `Python is not installed in /usr: install python3 3.9 or newer ${fix}` }),
      ...(goRoot === undefined && { go: `Go is not on PATH: install it (https://go.dev/dl) ${fix}` }),
    },
  };
}

async function findGoRoot(environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const go = await findOnPath('go', environment);
  if (go === undefined) return undefined;
  const lines: string[] = [];
  const { ok } = await runProgram(go, ['env', 'GOROOT'], {
    env: { ...environment, GOTOOLCHAIN: 'local' },
    cwd: tmpdir(),
    silenceMs: 60_000,
    onLine: (line) => lines.push(line.trim()),
  });
  return ok ? lines.find((line) => line.startsWith('/')) : undefined;
}

/** Apps see the programs of the sandbox only, not those on the PATH of this process. */
async function findPython(sandbox: Sandbox): Promise<boolean> {
  const { exitCode } = await sandbox.run(
    {
      argv: ['python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 9))'],
      workspace: { path: tmpdir(), writable: false },
    },
    { timeoutMs: 60_000, outputBytesMax: 1_000 },
  );
  return exitCode === 0;
}
