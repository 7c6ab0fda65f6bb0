import { join } from 'node:path';
import { makeOnce } from '../../../src/main/tools/install/make-once.ts';
import type { Tool, ToolSearch } from '../../../src/main/tools/tool.ts';
import { buildGoModule } from './build-go-module.ts';

const VERSION = '0.8.0';

/** Returns the folder of the program that simulates nodes and pods, and of its stages. */
export async function ensureKwok(search: ToolSearch): Promise<Tool> {
  const cached = join(search.cacheDir, `kwok-${VERSION}`);
  const program = {
    module: 'sigs.k8s.io/kwok',
    version: VERSION,
    commands: ['sigs.k8s.io/kwok/cmd/kwok'],
    keepFolders: ['kustomize/stage'],
    label: 'KWOK',
    expectedDuration: '1 minute',
  };
  return await makeOnce(cached, search.onProgress, (workDir) => buildGoModule(program, { ...search, workDir }));
}
