import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeOnce } from './install/make-once.ts';
import { runGo } from './install/run-go.ts';
import type { Tool, ToolSearch } from './tool.ts';

/** The Go module of our development server, whose dependencies `go.sum` pins. */
const moduleFolder = fileURLToPath(new URL('../temporal/server', import.meta.url));

/** Returns the Temporal server for one machine, which is built from its Go sources once for each version of them. */
export async function ensureTemporalServer(search: ToolSearch): Promise<Tool> {
  const files = (await readdir(moduleFolder)).toSorted();
  const cached = join(search.cacheDir, `temporal-server-${await hashFiles(files)}`);
  return makeOnce(cached, search.onProgress, async (workDir) => {
    for (const file of files) await copyFile(join(moduleFolder, file), join(workDir, file));
    const program = join(workDir, 'bin', 'temporal-server');
    await mkdir(join(workDir, 'bin'));
    // Leaving out the debug tables makes the program a third smaller.
    const args = ['build', '-ldflags=-s -w', '-o', program, '.'];
    const build = { args, label: 'the Temporal server', expectedDuration: '2 to 3 minutes' };
    const failed = await runGo(build, { ...search, workDir });
    if (!failed) return { path: program };
    return {
      missing: `No Temporal server is available: ${failed.missing}. Install Go (https://go.dev/dl) and try again.`,
    };
  });
}

async function hashFiles(files: string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) hash.update(file).update(await readFile(join(moduleFolder, file)));
  return hash.digest('hex').slice(0, 12);
}
