import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bubblewrap } from '../../../src/main/tools/bubblewrap.ts';
import { pathWith, scratchFolder } from '../../support/programs.ts';

// As apt-get and dpkg-deb do: a package file into the working folder, its tree under the folder named last.
const aptGet = 'case "$*" in *" download bubblewrap") touch bubblewrap_1.deb;; esac';
const dpkgDeb = 'mkdir -p "$3/usr/bin"; cp "$WORKING_BWRAP" "$3/usr/bin/bwrap"';

async function search(scripts: Record<string, string>) {
  const cacheDir = join(await scratchFolder(), 'cache');
  const said: string[] = [];
  const working = join(await pathWith({ bwrap: 'exit 0' }), 'bwrap');
  const env = { PATH: await pathWith(scripts), WORKING_BWRAP: working };
  return { cacheDir, env, said, find: () => bubblewrap({ cacheDir, env, onProgress: (line) => said.push(line) }) };
}

describe.runIf(process.platform === 'linux')('bubblewrap', () => {
  it('is the one on PATH where there is one', async () => {
    const { find, env } = await search({ bwrap: 'exit 0' });
    expect(await find()).toEqual({ path: join(env.PATH, 'bwrap') });
  });

  it('is taken out of the distribution’s package, and kept, where it is not installed', async () => {
    const { find, cacheDir, said } = await search({ 'apt-get': aptGet, 'dpkg-deb': dpkgDeb });
    expect(await find()).toEqual({ path: join(cacheDir, 'bubblewrap', 'bwrap') });
    expect(await find()).toEqual({ path: join(cacheDir, 'bubblewrap', 'bwrap') });
    expect(said).toEqual(['Fetching bubblewrap, the sandbox of agents (once)']);
    expect(await readdir(cacheDir)).toEqual(['bubblewrap']);
  });

  it('is missing, with the fix, where there are no packages to take it from', async () => {
    const { find } = await search({});
    expect(await find()).toEqual({
      missing: expect.stringMatching(/^bubblewrap is not on PATH and there are no packages.*\. Install bubblewrap/),
    });
  });

  it('is missing, with apt’s reason, where the package cannot be had', async () => {
    const { find } = await search({ 'apt-get': 'echo "E: no network" >&2; exit 100', 'dpkg-deb': dpkgDeb });
    expect(await find()).toEqual({ missing: expect.stringContaining('apt-get cannot download it (E: no network)') });
  });

  it('is missing, with the fix, where the kernel does not let it make a sandbox', async () => {
    const { find } = await search({ bwrap: 'echo "bwrap: setting up uid map: Permission denied" >&2; exit 1' });
    expect(await find()).toEqual({ missing: expect.stringMatching(/uid map: Permission denied.*user namespaces/) });
  });
});
