import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { buildWithGo } from '../../../src/main/tools/build-with-go.ts';
import { findOnPath } from '../../../src/main/tools/find-on-path.ts';
import { makeOnce } from '../../../src/main/tools/make-once.ts';
import type { Tool, ToolSearch } from '../../../src/main/tools/tool.ts';
import { buildModule } from './build-module.ts';

const VERSION = '3.2.6';
const helmProgram = { command: 'helm.sh/helm/v3/cmd/helm', version: '3.19.2', what: 'Helm', howLong: '1 minute' };

/** The folder with Argo CD's one program, `argocd`, and its CRDs. */
export async function argoCd(search: ToolSearch): Promise<Tool> {
  const cached = join(search.cacheDir, `argo-cd-${VERSION}`);
  const program = {
    module: 'github.com/argoproj/argo-cd/v3',
    version: VERSION,
    commands: ['github.com/argoproj/argo-cd/v3/cmd'],
    keep: ['manifests/crds'],
    what: 'Argo CD',
    howLong: '5 to 8 minutes',
  };
  return await makeOnce(cached, search.onProgress, async (workDir) => {
    const built = await buildModule(program, { ...search, workDir });
    if ('path' in built) await rename(join(built.path, 'cmd'), join(built.path, 'argocd'));
    return built;
  });
}

export async function helm(search: ToolSearch): Promise<Tool> {
  const installed = await findOnPath('helm', search.env);
  if (installed !== undefined) return { path: installed };
  const cached = join(search.cacheDir, `helm-${helmProgram.version}`, 'helm');
  return await makeOnce(cached, search.onProgress, (workDir) => buildWithGo(helmProgram, { ...search, workDir }));
}
