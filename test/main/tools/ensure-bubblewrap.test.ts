import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ensureBubblewrap } from '../../../src/main/tools/ensure-bubblewrap.ts';
import { createPathWith } from '../../support/create-path-with.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

// These scripts act like apt-get, which writes a package file to the working folder, and dpkg-deb, which unpacks it.
const aptGet = 'case "$*" in *" download bubblewrap") touch bubblewrap_1.deb;; esac';
const dpkgDeb = 'mkdir -p "$3/usr/bin"; cp "$WORKING_BWRAP" "$3/usr/bin/bwrap"';

async function search(scripts: Record<string, string>) {
  const cacheDir = join(await createScratchFolder(), 'cache');
  const messages: string[] = [];
  const working = join(await createPathWith({ bwrap: 'exit 0' }), 'bwrap');
  const env = { PATH: await createPathWith(scripts), WORKING_BWRAP: working };
  return {
    cacheDir,
    env,
    messages,
    find: () => ensureBubblewrap({ cacheDir, env, onProgress: (line) => messages.push(line) }),
  };
}

it('is missing on macOS, even where a program of its name is on PATH, with the ways to run agents and apps', async () => {
  const PATH = await createPathWith({ bwrap: 'exit 0' });
  const tool = await ensureBubblewrap(
    { cacheDir: await createScratchFolder(), env: { PATH }, onProgress() {} },
    'darwin',
  );
  expect(tool).toEqual({
    missing: expect.stringMatching(
      /^No sandbox is available for darwin: bubblewrap requires Linux\. Run the platform in a Linux virtual machine .* and no apps\.$/,
    ),
  });
});

describe.runIf(process.platform === 'linux')('bubblewrap', () => {
  it('is found on PATH', async () => {
    const { find, env } = await search({ bwrap: 'exit 0' });
    expect(await find()).toEqual({ path: join(env.PATH, 'bwrap') });
  });

  it('is unpacked once from the distribution’s package when it is not installed', async () => {
    const { find, cacheDir, messages } = await search({ 'apt-get': aptGet, 'dpkg-deb': dpkgDeb });
    expect(await find()).toEqual({ path: join(cacheDir, 'bubblewrap', 'bwrap') });
    expect(await find()).toEqual({ path: join(cacheDir, 'bubblewrap', 'bwrap') });
    expect(messages).toEqual(['Downloading bubblewrap, the sandbox of agents (once)']);
    expect(await readdir(cacheDir)).toEqual(['bubblewrap']);
  });

  it('is missing, with the fix, when apt-get is not available', async () => {
    const { find } = await search({});
    expect(await find()).toEqual({
      missing: expect.stringMatching(
        /^bubblewrap is not on PATH and apt-get and dpkg-deb are not available\. Install bubblewrap/,
      ),
    });
  });

  it('is missing, with apt’s reason, when the download fails', async () => {
    const { find } = await search({ 'apt-get': 'echo "E: no network" >&2; exit 100', 'dpkg-deb': dpkgDeb });
    expect(await find()).toEqual({ missing: expect.stringContaining('apt-get cannot download it (E: no network)') });
  });

  it('is missing, with the fix, when the kernel does not allow a sandbox', async () => {
    const { find } = await search({ bwrap: 'echo "bwrap: setting up uid map: Permission denied" >&2; exit 1' });
    expect(await find()).toEqual({ missing: expect.stringMatching(/uid map: Permission denied.*user namespaces/) });
  });

  it('is missing when it does not know an option that agents’ commands use', async () => {
    // Version 0.6 knows every other option.
    const old =
      'for arg; do [ "$arg" = --disable-userns ] && echo "bwrap: Unknown option $arg" >&2 && exit 1; done; exit 0';
    const { find } = await search({ bwrap: old });
    expect(await find()).toEqual({
      missing: expect.stringMatching(/Unknown option --disable-userns\)\. Install bubblewrap 0\.8 or newer/),
    });
  });
});
