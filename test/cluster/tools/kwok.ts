import { join } from 'node:path';
import { makeOnce } from '../../../src/main/tools/make-once.ts';
import type { Tool, ToolSearch } from '../../../src/main/tools/tool.ts';
import { buildModule } from './build-module.ts';

const VERSION = '0.8.0';

/** The folder with the program that plays nodes and their pods, and with what it plays. */
export async function kwok(search: ToolSearch): Promise<Tool> {
  const cached = join(search.cacheDir, `kwok-${VERSION}`);
  const program = {
    module: 'sigs.k8s.io/kwok',
    version: VERSION,
    commands: ['sigs.k8s.io/kwok/cmd/kwok'],
    keep: ['kustomize/stage'],
    what: 'nodes without machines',
    howLong: '1 minute',
  };
  return await makeOnce(cached, search.onProgress, (workDir) => buildModule(program, { ...search, workDir }));
}
