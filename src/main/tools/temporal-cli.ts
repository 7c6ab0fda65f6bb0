import { join } from 'node:path';
import { buildWithGo } from './build-with-go.ts';
import { downloadTemporal } from './download-temporal.ts';
import { findOnPath } from './find-on-path.ts';
import { makeOnce } from './make-once.ts';
import type { Tool, ToolSearch } from './tool.ts';

// The newest whose Go module can be installed by itself (later ones have a `replace`); server 1.29.1.
const VERSION = '1.5.1';
const program = {
  command: 'github.com/temporalio/cli/cmd/temporal',
  version: VERSION,
  what: 'the Temporal server',
  howLong: '2 to 3 minutes',
};

/** Temporal's command line program, which holds its development server. */
export async function temporalCli({
  downloadUrl = 'https://temporal.download',
  ...search
}: ToolSearch & { downloadUrl?: string }): Promise<Tool> {
  const installed = await findOnPath('temporal', search.env);
  if (installed !== undefined) return { path: installed };
  const cached = join(search.cacheDir, `temporal-${VERSION}`);
  return makeOnce(cached, search.onProgress, async (workDir) => {
    const how = { ...search, workDir, version: VERSION };
    const downloaded = await downloadTemporal({ ...how, downloadUrl });
    if ('path' in downloaded) return downloaded;
    const built = await buildWithGo(program, how);
    if ('path' in built) return built;
    const fix = 'Install the Temporal CLI (https://docs.temporal.io/cli) or Go (https://go.dev/dl) and try again.';
    return { missing: `There is no Temporal server here: ${downloaded.missing}, and ${built.missing}. ${fix}` };
  });
}
