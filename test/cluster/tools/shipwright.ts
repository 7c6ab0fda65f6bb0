import { join } from 'node:path';
import { makeOnce } from '../../../src/main/tools/make-once.ts';
import type { Tool, ToolSearch } from '../../../src/main/tools/tool.ts';
import { keepSources } from './build-module.ts';

const sources = { module: 'github.com/shipwright-io/build', version: '0.17.0', keep: ['deploy/crds'] };

/** The folder with the CRDs of Shipwright, which builds images. */
export async function shipwright(search: ToolSearch): Promise<Tool> {
  const cached = join(search.cacheDir, `shipwright-${sources.version}`);
  return await makeOnce(cached, search.onProgress, (workDir) => keepSources(sources, { ...search, workDir }));
}
