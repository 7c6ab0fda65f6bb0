import { join } from 'node:path';
import { makeOnce } from '../../../src/main/tools/install/make-once.ts';
import type { Tool, ToolSearch } from '../../../src/main/tools/tool.ts';
import { copyModuleSources } from './build-go-module.ts';

const sources = { module: 'github.com/shipwright-io/build', version: '0.17.0', keepFolders: ['deploy/crds'] };

/** Returns the folder of the CRDs of Shipwright, which builds images. */
export async function ensureShipwrightCrds(search: ToolSearch): Promise<Tool> {
  const cached = join(search.cacheDir, `shipwright-${sources.version}`);
  return await makeOnce(cached, search.onProgress, (workDir) => copyModuleSources(sources, { ...search, workDir }));
}
