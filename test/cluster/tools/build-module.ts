import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findOnPath } from '../../../src/main/tools/find-on-path.ts';
import { type GoPlace, type GoRun, runGo } from '../../../src/main/tools/run-go.ts';
import { lastLine, runProgram } from '../../../src/main/tools/run-program.ts';
import type { Tool } from '../../../src/main/tools/tool.ts';

type Sources = {
  module: string;
  version: string;
  /** Folders of its sources that are kept, beside the programs if there are any. */
  keep?: string[];
};

export type GoModule = Omit<GoRun, 'args'> &
  Sources & {
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
export async function buildModule(goModule: GoModule, place: GoPlace): Promise<Tool> {
  const { module, version, commands, set = {}, keep = [], ...words } = goModule;
  const sources = await findSources(goModule, place);
  if ('missing' in sources) return sources;
  const { workDir } = place;
  const bin = join(workDir, 'bin');
  await mkdir(bin);
  const lines = ['module tools', 'go 1.25.0', `require ${module} v${version}`, ...sources.replacements];
  await writeFile(join(workDir, 'go.mod'), `${lines.join('\n')}\n`);
  const imports = commands.map((command) => `import _ "${command}"\n`);
  await writeFile(join(workDir, 'tools.go'), `//go:build tools\n\npackage tools\n\n${imports.join('')}`);
  place.onProgress(`Building ${words.what} with Go (once, ${words.howLong}): finding its sources`);
  // It tells of parts that are published nowhere, which only tests of others need.
  await runGoCommand(['mod', 'tidy', '-e'], place);
  const flags = Object.entries(set).map(([name, value]) => `-X ${name}=${value}`);
  // Without the tables for debuggers the programs are a third smaller.
  const args = ['build', '-mod=mod', `-ldflags=${['-s -w', ...flags].join(' ')}`, '-o', `${bin}/`, ...commands];
  const failed = await runGo({ ...words, args }, place);
  if (failed) return failed;
  for (const folder of keep) await copyWritable(join(sources.folder, folder), join(bin, folder));
  return { path: bin };
}

/** Go keeps sources read-only; a copy must be removable. */
async function copyWritable(from: string, to: string): Promise<void> {
  for (const name of await readdir(from, { recursive: true })) {
    if ((await stat(join(from, name))).isDirectory()) continue;
    await mkdir(dirname(join(to, name)), { recursive: true });
    await writeFile(join(to, name), await readFile(join(from, name)));
  }
}

/** Some folders of a module's sources. */
export async function keepSources({ module, version, keep = [] }: Sources, place: GoPlace): Promise<Tool> {
  const found = await runGoCommand(['mod', 'download', '-json', `${module}@v${version}`], place);
  if (!found.ok) return { missing: `its sources cannot be fetched (${lastLine(found.output)})` };
  const { Dir } = JSON.parse(found.output) as { Dir: string };
  const kept = join(place.workDir, 'kept');
  for (const folder of keep) await copyWritable(join(Dir, folder), join(kept, folder));
  return { path: kept };
}

async function runGoCommand(args: string[], { env, workDir }: GoPlace) {
  const go = await findOnPath('go', env);
  if (go === undefined) return { ok: false, output: 'Go is not on PATH' };
  return await runProgram(go, args, { env, cwd: workDir, timeoutMs: 10 * 60_000 });
}

type Replacement = { Old: { Path: string; Version?: string }; New: { Path: string; Version?: string } };

async function findSources(
  { module, version, partsVersion }: GoModule,
  place: GoPlace,
): Promise<{ folder: string; replacements: string[] } | { missing: string }> {
  const found = await runGoCommand(['mod', 'download', '-json', `${module}@v${version}`], place);
  if (!found.ok) return { missing: `its sources cannot be fetched (${lastLine(found.output)})` };
  const { Dir, GoMod } = JSON.parse(found.output) as { Dir: string; GoMod: string };
  const read = await runGoCommand(['mod', 'edit', '-json', GoMod], place);
  const { Replace } = JSON.parse(read.output) as { Replace?: Replacement[] | null };
  const replacements = (Replace ?? []).flatMap(({ Old, New }) => {
    const isBeside = New.Path.startsWith('.');
    if (isBeside && partsVersion === undefined) return [];
    const to = isBeside ? `${Old.Path} v${partsVersion}` : `${New.Path} ${New.Version}`;
    return `replace ${[Old.Path, Old.Version].filter(Boolean).join(' ')} => ${to}`;
  });
  return { folder: Dir, replacements };
}
