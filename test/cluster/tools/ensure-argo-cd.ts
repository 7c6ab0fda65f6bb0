import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { buildGoProgram } from '../../../src/main/tools/install/build-go-program.ts';
import { findOnPath } from '../../../src/main/tools/find-on-path.ts';
import { makeOnce } from '../../../src/main/tools/install/make-once.ts';
import type { Tool, ToolSearch } from '../../../src/main/tools/tool.ts';
import { buildGoModule } from './build-go-module.ts';

const VERSION = '3.2.6';
const helmProgram = {
  command: 'helm.sh/helm/v3/cmd/helm',
  version: '3.19.2',
  label: 'Helm',
  expectedDuration: '1 minute',
};

/** Returns the folder of the program `argocd` and its CRDs. */
export async function ensureArgoCd(search: ToolSearch): Promise<Tool> {
  const cached = join(search.cacheDir, `argo-cd-${VERSION}`);
  const program = {
    module: 'github.com/argoproj/argo-cd/v3',
    version: VERSION,
    commands: ['github.com/argoproj/argo-cd/v3/cmd'],
    keepFolders: ['manifests/crds'],
    label: 'Argo CD',
    expectedDuration: '5 to 8 minutes',
  };
  return await makeOnce(cached, search.onProgress, async (workDir) => {
    const built = await buildGoModule(program, { ...search, workDir });
    if ('path' in built) await rename(join(built.path, 'cmd'), join(built.path, 'argocd'));
    return built;
  });
}

export async function ensureHelm(search: ToolSearch): Promise<Tool> {
  const installed = await findOnPath('helm', search.env);
  if (installed !== undefined) return { path: installed };
  const cached = join(search.cacheDir, `helm-${helmProgram.version}`, 'helm');
  return await makeOnce(cached, search.onProgress, (workDir) => buildGoProgram(helmProgram, { ...search, workDir }));
}
