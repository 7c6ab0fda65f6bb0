import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { chromium } from '../../../src/main/tools/chromium.ts';
import { pathWith, scratchFolder } from '../../support/programs.ts';

// As apt-get and dpkg-deb do: package files into the cache, their trees under the folder named last.
const aptGet = 'case "$*" in *" chromium fonts-liberation") touch cache/archives/chromium_1.deb;; esac';
const dpkgDeb = 'mkdir -p "$3/usr/lib/chromium"; cp "$WORKING" "$3/usr/lib/chromium/chromium"';

async function search(scripts: Record<string, string>) {
  const cacheDir = join(await scratchFolder(), 'cache');
  const said: string[] = [];
  const working = join(await pathWith({ chromium: 'echo Chromium "$@"' }), 'chromium');
  // The starter asks for the folder that it is in.
  const env = { PATH: await pathWith({ dirname: 'echo "${1%/*}"', ...scripts }), WORKING: working };
  const find = (options: { fetch?: boolean; executable?: string } = {}) =>
    chromium({ cacheDir, env, onProgress: (line) => said.push(line), ...options });
  return { cacheDir, env, said, working, find };
}

it('is the one that was named, or the one on PATH', async () => {
  const { find, env, working } = await search({ chromium: 'exit 0' });
  expect(await find()).toEqual({ path: join(env.PATH, 'chromium') });
  expect(await find({ executable: working })).toEqual({ path: working });
});

it('is missing, with the fix, where the named one is not there or nothing may be fetched', async () => {
  const { find, said } = await search({ 'apt-get': aptGet, 'dpkg-deb': dpkgDeb });
  expect(await find({ executable: '/nowhere/chromium' })).toEqual({
    missing: expect.stringMatching(/^CHROMIUM_PATH names no program: \/nowhere\/chromium\. Install Chromium/),
  });
  expect(await find()).toEqual({ missing: expect.stringMatching(/^There is no Chromium on this machine\. Install/) });
  expect(said).toEqual([]);
});

it('is taken out of the distribution’s packages, and kept, where that is asked for', async () => {
  const { find, cacheDir, said } = await search({ 'apt-get': aptGet, 'dpkg-deb': dpkgDeb });
  const program = join(cacheDir, 'chromium', 'start-chromium');
  expect(await find({ fetch: true })).toEqual({ path: program });
  expect(await find()).toEqual({ path: program });
  expect(said).toEqual(['Fetching Chromium, which takes screenshots (once)']);
  expect(await readdir(cacheDir)).toEqual(['chromium']);
  expect(await readFile(program, 'utf8')).not.toContain(cacheDir);
});

it('is missing, with apt’s reason, where the packages cannot be had', async () => {
  const { find } = await search({ 'apt-get': 'echo "E: no network" >&2; exit 100', 'dpkg-deb': dpkgDeb });
  expect(await find({ fetch: true })).toEqual({
    missing: expect.stringContaining('apt-get cannot download it (E: no network)'),
  });
});
