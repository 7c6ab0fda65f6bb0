import { join } from 'node:path';
import { makeOnce } from '../../../src/main/tools/install/make-once.ts';
import type { Tool, ToolSearch } from '../../../src/main/tools/tool.ts';
import { copyModuleSources } from './build-go-module.ts';

const sources = {
  module: 'github.com/prometheus-operator/prometheus-operator',
  version: '0.85.0',
  keepFolders: ['example/prometheus-operator-crd'],
};

/** Returns the folder of the CRDs of the Prometheus operator. */
export async function ensurePrometheusOperatorCrds(search: ToolSearch): Promise<Tool> {
  const cached = join(search.cacheDir, `prometheus-operator-${sources.version}`);
  return await makeOnce(cached, search.onProgress, (workDir) => copyModuleSources(sources, { ...search, workDir }));
}
