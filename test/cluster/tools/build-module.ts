import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findOnPath } from '../../../src/main/tools/find-on-path.ts';
import { type GoPlace, type GoRun, runGo } from '../../../src/main/tools/run-go.ts';
import { lastLine, runProgram } from '../../../src/main/tools/run-program.ts';
import type { Tool } from '../../../src/main/tools/tool.ts';

export type GoModule = Omit<GoRun, 'args'> & {
  module: string;
  version: string;
  /** Import paths of the programs to build. */
  commands: string[];
  /** The version of the parts beside it in its repository, where its go.mod does not say it. */
  partsVersion?: string;
  /** Texts that are set in the programs, by the name of the variable. */
  set?: Record<string, string>;
};

/**
 * Builds programs of a module that cannot be installed by itself, because its go.mod replaces what it needs: a small
 * module of our own replaces the same. The answer is the folder that they are in.
 */
export async function buildModule({ module, version, commands, set = {}, ...rest }: GoModule, place: GoPlace) {
  const replaced = await replacements({ module, version, ...rest }, place);
  if ('missing' in replaced) return replaced;
  const { workDir } = place;
  const bin = join(workDir, 'bin');
  await mkdir(bin);
  const lines = ['module tools', 'go 1.25.0', `require ${module} v${version}`, ...replaced.lines];
  await writeFile(join(workDir, 'go.mod'), `${lines.join('\n')}\n`);
  const imports = commands.map((command) => `import _ "${command}"\n`);
  await writeFile(join(workDir, 'tools.go'), `//go:build tools\n\npackage tools\n\n${imports.join('')}`);
  place.onProgress(`Building ${rest.what} with Go (once, ${rest.howLong}): finding its sources`);
  // It tells of parts that are published nowhere, which only tests of others need.
  await runGoCommand(['mod', 'tidy', '-e'], place);
  const flags = Object.entries(set).map(([name, value]) => `-X ${name}=${value}`);
  // Without the tables for debuggers the programs are a third smaller.
  const args = ['build', '-mod=mod', `-ldflags=${['-s -w', ...flags].join(' ')}`, '-o', `${bin}/`, ...commands];
  return ((await runGo({ ...rest, args }, place)) ?? { path: bin }) satisfies Tool;
}

async function runGoCommand(args: string[], { env, workDir }: GoPlace) {
  const go = await findOnPath('go', env);
  if (go === undefined) return { ok: false, output: 'Go is not on PATH' };
  return await runProgram(go, args, { env, cwd: workDir, timeoutMs: 10 * 60_000 });
}

type Replacement = { Old: { Path: string; Version?: string }; New: { Path: string; Version?: string } };

async function replacements(
  { module, version, partsVersion }: Pick<GoModule, 'module' | 'version' | 'partsVersion'>,
  place: GoPlace,
): Promise<{ lines: string[] } | { missing: string }> {
  const found = await runGoCommand(['mod', 'download', '-json', `${module}@v${version}`], place);
  if (!found.ok) return { missing: `its sources cannot be fetched (${lastLine(found.output)})` };
  const { GoMod } = JSON.parse(found.output) as { GoMod: string };
  const read = await runGoCommand(['mod', 'edit', '-json', GoMod], place);
  const { Replace } = JSON.parse(read.output) as { Replace?: Replacement[] | null };
  const lines = (Replace ?? []).flatMap(({ Old, New }) => {
    const isBeside = New.Path.startsWith('.');
    if (isBeside && partsVersion === undefined) return [];
    const to = isBeside ? `${Old.Path} v${partsVersion}` : `${New.Path} ${New.Version}`;
    return `replace ${[Old.Path, Old.Version].filter(Boolean).join(' ')} => ${to}`;
  });
  return { lines };
}
