import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeOnce } from '../../src/main/tools/install/make-once.ts';
import { runGo } from '../../src/main/tools/install/run-go.ts';
import type { Tool, ToolSearch } from '../../src/main/tools/tool.ts';

const moduleFolder = join(import.meta.dirname, 'dashboard-schema');

/** Returns the program that checks dashboards against Grafana's schema, built once for each version of its sources. */
export async function ensureDashboardSchema(search: ToolSearch): Promise<Tool> {
  const files = (await readdir(moduleFolder)).toSorted();
  const hash = createHash('sha256');
  for (const file of files) hash.update(file).update(await readFile(join(moduleFolder, file)));
  const cached = join(search.cacheDir, `dashboard-schema-${hash.digest('hex').slice(0, 12)}`);
  return await makeOnce(cached, search.onProgress, async (workDir) => {
    for (const file of files) await copyFile(join(moduleFolder, file), join(workDir, file));
    await mkdir(join(workDir, 'bin'));
    const program = join(workDir, 'bin', 'dashboard-schema');
    const args = ['build', '-ldflags=-s -w', '-o', program, '.'];
    const build = { args, label: 'the schema of dashboards', expectedDuration: '1 to 2 minutes' };
    const failed = await runGo(build, { ...search, workDir });
    return failed ?? { path: program };
  });
}
