import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tool, ToolSearch } from '../tool.ts';
import { makeOnce } from './make-once.ts';
import { type GoRun, runGo } from './run-go.ts';

export type GoModule = Omit<GoRun, 'args'> & {
  /** The folder of the module, whose `go.sum` pins its dependencies. */
  folder: string;
  /** The name of the program. */
  name: string;
};

/** Returns the program of a Go module of ours, which is built once for each version of its files. */
export async function ensureGoModule({ folder, name, ...progress }: GoModule, search: ToolSearch): Promise<Tool> {
  const files = (await readdir(folder)).toSorted();
  const cached = join(search.cacheDir, `${name}-${await hashFiles(folder, files)}`);
  return makeOnce(cached, search.onProgress, async (workDir) => {
    for (const file of files) await copyFile(join(folder, file), join(workDir, file));
    const program = join(workDir, 'bin', name);
    await mkdir(join(workDir, 'bin'));
    const args = ['build', '-o', program, '.'];
    const failed = await runGo({ ...progress, args }, { ...search, workDir });
    if (!failed) return { path: program };
    return { missing: `No build of ${progress.label} is available: ${failed.missing}. ${failed.fix}` };
  });
}

async function hashFiles(folder: string, files: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) hash.update(file).update(await readFile(join(folder, file)));
  return hash.digest('hex').slice(0, 12);
}
