import { join } from 'node:path';
import { buildGoProgram } from './install/build-go-program.ts';
import { downloadTemporal } from './install/download-temporal.ts';
import { findOnPath } from './find-on-path.ts';
import { makeOnce } from './install/make-once.ts';
import type { Tool, ToolSearch } from './tool.ts';

// The newest version whose Go module can be installed by itself: later ones use `replace`. It contains server 1.29.1.
const VERSION = '1.5.1';
const goProgram = {
  command: 'github.com/temporalio/cli/cmd/temporal',
  version: VERSION,
  label: 'the Temporal server',
  expectedDuration: '2 to 3 minutes',
};

/** Returns Temporal's command line program, which contains its development server. */
export async function ensureTemporalCli({
  downloadUrl = 'https://temporal.download',
  ...search
}: ToolSearch & { downloadUrl?: string }): Promise<Tool> {
  const installed = await findOnPath('temporal', search.env);
  if (installed !== undefined) return { path: installed };
  const cached = join(search.cacheDir, `temporal-${VERSION}`);
  return makeOnce(cached, search.onProgress, async (workDir) => {
    const build = { ...search, workDir, version: VERSION };
    const downloaded = await downloadTemporal({ ...build, downloadUrl });
    if ('path' in downloaded) return downloaded;
    const built = await buildGoProgram(goProgram, build);
    if ('path' in built) return built;
    const fix = 'Install the Temporal CLI (https://docs.temporal.io/cli) or Go (https://go.dev/dl) and try again.';
    return { missing: `No Temporal server is available: ${downloaded.missing}, and ${built.missing}. ${fix}` };
  });
}
