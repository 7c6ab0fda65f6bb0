import { join } from 'node:path';
import { makeOnce } from '../../../src/main/tools/install/make-once.ts';
import type { Tool, ToolSearch } from '../../../src/main/tools/tool.ts';
import { buildGoModule } from './build-go-module.ts';

const VERSION = '0.5.6';

/** Returns the folder of the program that judges connections by the network policies of a cluster. */
export async function ensureCyclonus(search: ToolSearch): Promise<Tool> {
  const cached = join(search.cacheDir, `cyclonus-${VERSION}`);
  const program = {
    module: 'github.com/mattfenwick/cyclonus',
    version: VERSION,
    commands: ['github.com/mattfenwick/cyclonus/cmd/cyclonus'],
    label: 'Cyclonus',
    expectedDuration: '1 minute',
  };
  return await makeOnce(cached, search.onProgress, (workDir) => buildGoModule(program, { ...search, workDir }));
}
