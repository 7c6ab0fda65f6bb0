import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findOnPath } from '../../../src/main/tools/find-on-path.ts';
import { type GoBuildContext, type GoRun, runGo } from '../../../src/main/tools/install/run-go.ts';
import { lastLine, runProgram } from '../../../src/main/tools/run-program.ts';
import type { Tool } from '../../../src/main/tools/tool.ts';

type ModuleSources = {
  module: string;
  version: string;
  /** Folders of the sources that are copied next to the programs. */
  keepFolders?: string[];
};

export type GoModule = Omit<GoRun, 'args'> &
  ModuleSources & {
    /** Import paths of the programs to build. */
    commands: string[];
    /** The version of modules in the same repository, if go.mod does not name it. */
    stagingVersion?: string;
  };

/**
 * Builds programs of a module that Go cannot install because its go.mod replaces dependencies. A temporary module
 * repeats the replacements. Returns the folder of the programs.
 */
export async function buildGoModule(goModule: GoModule, context: GoBuildContext): Promise<Tool> {
  const { module, version, commands, keepFolders = [], ...progress } = goModule;
  const sources = await findSources(goModule, context);
  if ('missing' in sources) return sources;
  const { workDir } = context;
  const bin = join(workDir, 'bin');
  await mkdir(bin);
  const lines = ['module tools', 'go 1.25.0', `require ${module} v${version}`, ...sources.replacements];
  await writeFile(join(workDir, 'go.mod'), `${lines.join('\n')}\n`);
  const args = ['build', '-mod=mod', '-o', `${bin}/`, ...commands];
  const failed = await runGo({ ...progress, args }, context);
  if (failed) return failed;
  for (const folder of keepFolders) await copyWritable(join(sources.folder, folder), join(bin, folder));
  return { path: bin };
}

/** Copies files as writable, because Go's sources are read-only and could not be deleted. */
async function copyWritable(from: string, to: string): Promise<void> {
  for (const name of await readdir(from, { recursive: true })) {
    if ((await stat(join(from, name))).isDirectory()) continue;
    await mkdir(dirname(join(to, name)), { recursive: true });
    await writeFile(join(to, name), await readFile(join(from, name)));
  }
}

/** Copies folders of a module's sources. */
export async function copyModuleSources(
  { module, version, keepFolders = [] }: ModuleSources,
  context: GoBuildContext,
): Promise<Tool> {
  await mkdir(context.workDir, { recursive: true });
  const found = await runGoCommand(['mod', 'download', '-json', `${module}@v${version}`], context);
  if (!found.ok) return { missing: `its sources cannot be downloaded (${lastLine(found.output)})` };
  const { Dir } = JSON.parse(found.output) as { Dir: string };
  const copies = join(context.workDir, 'copies');
  for (const folder of keepFolders) await copyWritable(join(Dir, folder), join(copies, folder));
  return { path: copies };
}

/** Runs a command of Go, such as `go mod`. */
export async function runGoCommand(args: string[], { env, workDir }: GoBuildContext) {
  const go = await findOnPath('go', env);
  if (go === undefined) return { ok: false, output: 'Go is not on PATH' };
  return await runProgram(go, args, { env, cwd: workDir, silenceMs: 60 * 60_000 });
}

type Replacement = { Old: { Path: string; Version?: string }; New: { Path: string; Version?: string } };

async function findSources(
  { module, version, stagingVersion }: GoModule,
  context: GoBuildContext,
): Promise<{ folder: string; replacements: string[] } | { missing: string }> {
  const found = await runGoCommand(['mod', 'download', '-json', `${module}@v${version}`], context);
  if (!found.ok) return { missing: `its sources cannot be downloaded (${lastLine(found.output)})` };
  const { Dir, GoMod } = JSON.parse(found.output) as { Dir: string; GoMod: string };
  const read = await runGoCommand(['mod', 'edit', '-json', GoMod], context);
  const { Replace } = JSON.parse(read.output) as { Replace?: Replacement[] | null };
  const replacements = (Replace ?? []).flatMap(({ Old, New }) => {
    const isLocal = New.Path.startsWith('.');
    if (isLocal && stagingVersion === undefined) return [];
    const to = isLocal ? `${Old.Path} v${stagingVersion}` : `${New.Path} ${New.Version}`;
    return `replace ${[Old.Path, Old.Version].filter(Boolean).join(' ')} => ${to}`;
  });
  return { folder: Dir, replacements };
}
