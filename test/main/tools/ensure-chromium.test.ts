import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ensureChromium } from '../../../src/main/tools/ensure-chromium.ts';
import { createPathWith } from '../../support/create-path-with.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

// These scripts act like apt-get, which writes package files to the cache, and dpkg-deb, which unpacks them.
const aptGet = 'case "$*" in *" chromium"*" fonts-liberation") touch cache/archives/chromium_1.deb;; esac';
const dpkgDeb =
  'mkdir -p "$3/usr/lib/chromium"; for name in chromium chromium-headless-shell; do cp "$WORKING" "$3/usr/lib/chromium/$name"; done';

async function search(scripts: Record<string, string>) {
  const cacheDir = join(await createScratchFolder(), 'cache');
  const messages: string[] = [];
  const working = join(await createPathWith({ chromium: 'echo Chromium "$@"' }), 'chromium');
  // The launcher calls dirname to find its own folder.
  const env = { PATH: await createPathWith({ dirname: 'echo "${1%/*}"', ...scripts }), WORKING: working };
  const find = (options: { download?: boolean; executable?: string; edition?: 'chromium-headless-shell' } = {}) =>
    ensureChromium({ cacheDir, env, onProgress: (line) => messages.push(line), ...options });
  return { cacheDir, env, messages, working, find };
}

it('is the configured browser, or the one on PATH', async () => {
  const { find, env, working } = await search({ chromium: 'exit 0' });
  expect(await find()).toEqual({ path: join(env.PATH, 'chromium') });
  expect(await find({ executable: working })).toEqual({ path: working });
});

it('is missing, with the fix, when the configured one does not exist or downloads are not allowed', async () => {
  const { find, messages } = await search({ 'apt-get': aptGet, 'dpkg-deb': dpkgDeb });
  expect(await find({ executable: '/missing/chromium' })).toEqual({
    missing: expect.stringMatching(/^CHROMIUM_PATH does not name a program: \/missing\/chromium\. Install Chromium/),
  });
  expect(await find()).toEqual({
    missing: expect.stringMatching(/^No Chromium is installed on this machine\. Install/),
  });
  expect(messages).toEqual([]);
});

it('is unpacked once from the distribution’s packages when downloads are allowed', async () => {
  const { find, cacheDir, messages } = await search({ 'apt-get': aptGet, 'dpkg-deb': dpkgDeb });
  const program = join(cacheDir, 'chromium', 'start-chromium');
  expect(await find({ download: true })).toEqual({ path: program });
  expect(await find()).toEqual({ path: program });
  expect(messages).toEqual(['Downloading Chromium, which takes screenshots (once)']);
  expect(await readdir(cacheDir)).toEqual(['chromium']);
  expect(await readFile(program, 'utf8')).not.toContain(cacheDir);
});

it('is kept apart from the headless shell', async () => {
  const { find, cacheDir } = await search({ chromium: 'exit 0', 'apt-get': aptGet, 'dpkg-deb': dpkgDeb });
  const program = join(cacheDir, 'chromium-headless-shell', 'start-chromium');
  expect(await find({ download: true, edition: 'chromium-headless-shell' })).toEqual({ path: program });
  expect(await readFile(program, 'utf8')).toContain('/usr/lib/chromium/chromium-headless-shell"');
});

it('is missing, with apt’s reason, when the download fails', async () => {
  const { find } = await search({ 'apt-get': 'echo "E: no network" >&2; exit 100', 'dpkg-deb': dpkgDeb });
  expect(await find({ download: true })).toEqual({
    missing: expect.stringContaining('apt-get cannot download it (E: no network)'),
  });
});
