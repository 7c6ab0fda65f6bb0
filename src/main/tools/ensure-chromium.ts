import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unpackDebianPackages } from './install/unpack-debian-packages.ts';
import { findOnPath, isExecutable } from './find-on-path.ts';
import { makeOnce } from './install/make-once.ts';
import { lastLine, runProgram } from './run-program.ts';
import type { Tool, ToolSearch } from './tool.ts';

const INSTALL_FIX = 'Install Chromium (for example "apt install chromium"), or set CHROMIUM_PATH, and try again.';

/** The headless shell has no windows, so it is a third faster. Its sandbox is another one than that of the browser. */
type Edition = 'chromium' | 'chromium-headless-shell';

const programNames: Record<Edition, string[]> = {
  chromium: ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'],
  'chromium-headless-shell': ['chromium-headless-shell', 'chrome-headless-shell'],
};

type ChromiumSearch = ToolSearch & {
  executable?: string | undefined;
  download?: boolean;
  edition?: Edition;
};

/** Returns an installed browser for screenshots or, with `download`, one from Debian's packages. */
export async function ensureChromium({
  executable,
  download = false,
  edition = 'chromium',
  ...search
}: ChromiumSearch): Promise<Tool> {
  if (executable !== undefined) {
    const found = await isExecutable(executable);
    return found
      ? { path: executable }
      : { missing: `CHROMIUM_PATH does not name a program: ${executable}. ${INSTALL_FIX}` };
  }
  for (const name of programNames[edition]) {
    const installed = await findOnPath(name, search.env);
    if (installed !== undefined) return { path: installed };
  }
  const cached = join(search.cacheDir, edition);
  const program = join(cached, launcherName);
  if (await isExecutable(program)) return { path: program };
  if (!download) return { missing: `No Chromium is installed on this machine. ${INSTALL_FIX}` };
  const created = await makeOnce(cached, search.onProgress, (workDir) => downloadFromDebian(edition, workDir, search));
  return 'missing' in created ? created : { path: program };
}

const launcherName = 'start-chromium';

/** Starts the browser with the libraries and fonts that were unpacked with it. */
const toLauncherScript = (edition: Edition): string => `#!/bin/sh
here=$(dirname "$0")
for folder in "$here"/usr/lib/*-linux-gnu* "$here"/usr/lib/*-linux-gnu*/pulseaudio; do
  LD_LIBRARY_PATH="$folder\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
done
export LD_LIBRARY_PATH XDG_DATA_HOME="$here/usr/share"
exec "$here/usr/lib/chromium/${edition}" "$@"
`;

async function downloadFromDebian(edition: Edition, workDir: string, search: ToolSearch): Promise<Tool> {
  const onStart = () => search.onProgress('Downloading Chromium, which takes screenshots (once)');
  const request = { packages: [edition, 'fonts-liberation'], withDependencies: true, workDir, onStart };
  const unpacked = await unpackDebianPackages(request, search);
  if ('missing' in unpacked)
    return { missing: `No Chromium is installed on this machine, and ${unpacked.missing}. ${INSTALL_FIX}` };
  const program = join(unpacked.folder, launcherName);
  await writeFile(program, toLauncherScript(edition));
  await chmod(program, 0o755);
  const test = await runProgram(program, ['--version'], { env: search.env, silenceMs: 60_000 });
  if (test.ok) return { path: unpacked.folder };
  return {
    missing: `The Chromium of this system's packages does not run here (${lastLine(test.output)}). ${INSTALL_FIX}`,
  };
}
