import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unpackFromDebian } from './debian-packages.ts';
import { findOnPath, isExecutable } from './find-on-path.ts';
import { makeOnce } from './make-once.ts';
import { lastLine, runProgram } from './run-program.ts';
import type { Tool, ToolSearch } from './tool.ts';

const INSTALL = 'Install Chromium (for example "apt install chromium"), or name one with CHROMIUM_PATH, and try again.';
const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** The browser that takes screenshots: one that is here, or, where `fetch` says so, one out of Debian's packages. */
export async function chromium({
  executable,
  fetch = false,
  ...search
}: ToolSearch & { executable?: string | undefined; fetch?: boolean }): Promise<Tool> {
  if (executable !== undefined) {
    const found = await isExecutable(executable);
    return found ? { path: executable } : { missing: `CHROMIUM_PATH names no program: ${executable}. ${INSTALL}` };
  }
  for (const name of names) {
    const installed = await findOnPath(name, search.env);
    if (installed !== undefined) return { path: installed };
  }
  const cached = join(search.cacheDir, 'chromium');
  const program = join(cached, starter);
  if (await isExecutable(program)) return { path: program };
  if (!fetch) return { missing: `There is no Chromium on this machine. ${INSTALL}` };
  const made = await makeOnce(cached, search.onProgress, (workDir) => fetchFromDebian(workDir, search));
  return 'missing' in made ? made : { path: program };
}

const starter = 'start-chromium';

/** Has the browser find the libraries and fonts that were unpacked beside it. */
const starterText = `#!/bin/sh
here=$(dirname "$0")
for folder in "$here"/usr/lib/*-linux-gnu* "$here"/usr/lib/*-linux-gnu*/pulseaudio; do
  LD_LIBRARY_PATH="$folder\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
done
export LD_LIBRARY_PATH XDG_DATA_HOME="$here/usr/share"
exec "$here/usr/lib/chromium/chromium" "$@"
`;

async function fetchFromDebian(workDir: string, search: ToolSearch): Promise<Tool> {
  const onBegin = () => search.onProgress('Fetching Chromium, which takes screenshots (once)');
  const wanted = { packages: ['chromium', 'fonts-liberation'], withDependencies: true, workDir, onBegin };
  const unpacked = await unpackFromDebian(wanted, search);
  if ('why' in unpacked) return { missing: `There is no Chromium on this machine, and ${unpacked.why}. ${INSTALL}` };
  const program = join(unpacked.folder, starter);
  await writeFile(program, starterText);
  await chmod(program, 0o755);
  const tried = await runProgram(program, ['--version'], { env: search.env, timeoutMs: 10_000 });
  if (tried.ok) return { path: unpacked.folder };
  return {
    missing: `The Chromium of this system's packages does not run here (${lastLine(tried.output)}). ${INSTALL}`,
  };
}
