import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { planBuild, planViolation } from '../../../src/emulators/cluster/plan-build.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

async function createRootfs(manifest: object, files: Record<string, string> = {}): Promise<string> {
  const folder = await createScratchFolder();
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries({ 'package.json': JSON.stringify(manifest), ...files }))
    await writeFile(join(folder, name), text);
  return folder;
}

const express = { scripts: { start: 'node server.js' }, dependencies: { express: '5' } };
const lock = (packages: object): Record<string, string> => ({
  'package-lock.json': JSON.stringify({ lockfileVersion: 3, packages }),
});

it.each<[string, object, Record<string, string>, RegExp]>([
  ['no start command', {}, {}, /^No start command found: add a Procfile/],
  [
    'only a Dockerfile',
    {},
    { Dockerfile: 'FROM scratch' },
    /^No start command found, and a Dockerfile is not used on one machine: add a Procfile/,
  ],
  ['no lock file', express, {}, /package-lock\.json is missing.*pnpm and yarn are accepted too/],
  ['a stale lock file', express, lock({ '': {} }), /does not contain express of package\.json: run npm install/],
  [
    'a huge lock file',
    express,
    { 'package-lock.json': '['.repeat(17 * 1024 ** 2) },
    /^package-lock\.json has more than 16 MiB/,
  ],
  ['a broken lock file', express, { 'package-lock.json': '{' }, /^package-lock\.json is not JSON/],
])('says why a source with %s cannot be built', async (_, manifest, files, expected) => {
  expect(await planViolation(await createRootfs(manifest, files))).toMatch(expected);
});

it('accepts a lock file that contains the dependencies, and those of other managers', async () => {
  expect(await planViolation(await createRootfs(express, lock({ 'node_modules/express': {} })))).toBeUndefined();
  const pnpm = await createRootfs(express, { 'pnpm-lock.yaml': "lockfileVersion: '9.0'\n" });
  expect(await planBuild(pnpm)).toMatchObject({ install: 'production', manager: { name: 'pnpm' } });
});

it('starts the script that a start script names, because the app runs without a package manager', async () => {
  const scripts = { start: 'pnpm start:prod', 'start:prod': 'yarn run serve', serve: 'node dist/server.js --port 3' };
  const { startCommand } = await planBuild(await createRootfs({ scripts }));
  expect(startCommand).toMatch(/; node dist\/server\.js --port 3$/);
});

it('serves a page that is larger than any manifest', async () => {
  const rootfs = await createRootfs({}, { 'index.html': 'x'.repeat(17 * 1024 ** 2) });
  expect((await planBuild(rootfs)).startCommand).toBe('node /service/serve-static.mjs .');
});
