import { once } from 'node:events';
import { chmod, cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type InstallDeps, type InstallJob, installPackages } from '../../../src/emulators/cluster/install-packages.ts';
import { unconfinedSandbox } from '../../../src/integrations/sandbox/unconfined-sandbox.ts';
import { openRegistry } from '../../../src/main/network/open-registry.ts';
import { openTestRegistry } from '../../support/open-test-registry.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';
import { createTestSandbox } from '../../support/test-sandbox.ts';

const isNumber = {
  version: '7.0.0',
  resolved: 'https://registry.npmjs.org/is-number/-/is-number-7.0.0.tgz',
  integrity: 'sha512-41Cifkg6e8TylSpdtTpeLVMqvSBEVzTttHvERD741+pnZ8ANv0004MRL43QKPDlK9cGvNp6NZWZUBlbGXYxxng==',
};

async function writeRepo(files: Record<string, string>): Promise<{ folder: string; rootfs: string }> {
  const folder = await createScratchFolder();
  const rootfs = join(folder, 'rootfs');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(rootfs, path)), { recursive: true });
    await writeFile(join(rootfs, path), text);
    await chmod(join(rootfs, path), 0o755);
  }
  return { folder, rootfs };
}

function manifests(dependencies: Record<string, string>, packages: Record<string, object>): Record<string, string> {
  const root = { name: 'app', version: '1.0.0', dependencies };
  return {
    'package.json': JSON.stringify(root),
    'package-lock.json': JSON.stringify({ name: 'app', lockfileVersion: 3, packages: { '': root, ...packages } }),
  };
}

type Repo = { folder: string; rootfs: string };

async function install({ folder, rootfs }: Repo, deps: Partial<InstallDeps> = {}, job: Partial<InstallJob> = {}) {
  const all = {
    sandbox: createTestSandbox(),
    openRegistry: openTestRegistry(),
    npmCacheDir: join(folder, 'cache'),
    managersDir: join(folder, 'cache/managers'),
  };
  await installPackages(
    { ...all, ...deps },
    {
      namespace: 'org-acme',
      name: 'build-1',
      repoUrl: 'http://codehost/acme/app',
      install: 'production',
      manager: { name: 'npm', lockName: 'package-lock.json', version: '' },
      rootfs,
      folder: join(folder, 'install'),
      signal: new AbortController().signal,
      ...job,
    },
  );
}

it('installs from the registry of this machine, and removes its own folder', async () => {
  const repo = await writeRepo(manifests({ 'is-number': '7.0.0' }, { 'node_modules/is-number': isNumber }));
  await install(repo);
  const text = await readFile(join(repo.rootfs, 'node_modules/is-number/package.json'), 'utf8');
  expect(JSON.parse(text)).toMatchObject({ version: '7.0.0' });
  expect(await readdir(repo.folder)).toEqual(['cache', 'rootfs']);
});

/** The program writes to its own folder, so that a test sees whether it ran. */
const program = (folder: string): string => `#!/bin/sh\ntouch ${folder}/ran\nexit 1\n`;
const gitDependency = (folder: string) => ({
  ...manifests(
    { words: 'git+http://127.0.0.1:1/words.git' },
    { 'node_modules/words': { version: '1.0.0', resolved: `git+http://127.0.0.1:1/words.git#${'c'.repeat(40)}` } },
  ),
  'evil.sh': program(folder),
  '.npmrc': 'git=./evil.sh\n',
});

it('runs no program that the repo names as its git', async () => {
  const { folder, rootfs } = await writeRepo(gitDependency('/workspace'));
  await expect(install({ folder, rootfs })).rejects.toThrow(
    'The package "words" in package-lock.json comes from "git+http',
  );
  expect(await readdir(rootfs)).not.toContain('ran');
});

it('runs no program of the repo even if the lock file does not show the git dependency', async () => {
  const { folder, rootfs } = await writeRepo({
    ...gitDependency('/workspace'),
    ...manifests({ words: 'git+http://127.0.0.1:1/words.git' }, {}),
  });
  await expect(install({ folder, rootfs })).rejects.toThrow('Installing the packages failed');
  expect(await readdir(rootfs)).not.toContain('ran');
});

it('would run the program in the folder of the repo with its settings', async () => {
  const { folder, rootfs } = await writeRepo(gitDependency('.'));
  // This is the command as it was before: in the folder of the repo, with the settings of the repo.
  await createTestSandbox().run(
    { argv: ['npm', 'ci', '--ignore-scripts'], workspace: { path: rootfs, writable: true } },
    { timeoutMs: 60_000, outputBytesMax: 10_000 },
  );
  expect(await readdir(rootfs)).toContain('ran');
  expect(folder).not.toBe('');
});

it('follows no link of the repo out of its root', async () => {
  const packages = { 'node_modules/words': { resolved: 'packages/words', link: true }, 'packages/words': {} };
  const { folder, rootfs } = await writeRepo(manifests({ words: 'file:packages/words' }, packages));
  const outside = join(folder, 'outside');
  await mkdir(join(outside, 'words'), { recursive: true });
  await writeFile(join(outside, 'words', 'package.json'), JSON.stringify({ name: 'words', version: '1.0.0' }));
  await symlink(outside, join(rootfs, 'packages'));
  await symlink(outside, join(rootfs, 'node_modules'));
  await install({ folder, rootfs }).catch(() => undefined);
  expect(await readdir(outside)).toEqual(['words']);
  expect(await readdir(join(outside, 'words'))).toEqual(['package.json']);
});

it('reaches nothing but the registry, as the log of the build shows', async () => {
  const requests: string[] = [];
  const inside = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.end('{}');
  });
  inside.listen(0, '127.0.0.1');
  await once(inside, 'listening');
  onTestFinished(() => void inside.close());
  const { port } = inside.address() as AddressInfo;
  const records: object[] = [];
  const open = openRegistry(process.env, { info: (record: object) => records.push({ ...record }) });
  const network = await open({ namespace: 'org-acme', build: 'build-1' });
  onTestFinished(network.close);
  const { rootfs } = await writeRepo({
    'attack.mjs': `
      for (const url of ['http://127.0.0.1:${port}/', 'http://inside.localhost:${port}/', 'https://example.com/'])
        console.log(await fetch(url).then(({ status }) => status, () => 'refused'));`,
  });
  const request = {
    argv: ['node', 'attack.mjs'],
    workspace: { path: rootfs, writable: true },
    network: { proxySocket: network.socketPath },
    environment: { NO_PROXY: '', no_proxy: '' },
  };
  const limits = { timeoutMs: 60_000, outputBytesMax: 10_000 };
  expect((await createTestSandbox().run(request, limits)).output).toBe('refused\nrefused\nrefused\n');
  expect(requests).toEqual([]);
  expect(records).toContainEqual(
    expect.objectContaining({ namespace: 'org-acme', build: 'build-1', host: 'example.com', verdict: 'refused' }),
  );
  // Without the sandbox, the same command reaches the inside server.
  expect((await unconfinedSandbox().run(request, limits)).output).toMatch(/^200\n/);
  expect(requests).toContain('/');
});

it('keeps a cache per org and repo, so that no org changes the packages of another one', async () => {
  const repo = await writeRepo(manifests({ 'is-number': '7.0.0' }, { 'node_modules/is-number': isNumber }));
  const other = { ...repo, rootfs: `${repo.rootfs}-evil` };
  await cp(repo.rootfs, other.rootfs, { recursive: true });
  await install(repo);
  const [first] = await readdir(join(repo.folder, 'cache'));
  await install(other, {}, { namespace: 'org-evil' });
  const caches = await readdir(join(repo.folder, 'cache'));
  expect(caches).toHaveLength(2);
  expect(caches).toContain(first);
});

const managers: [string, string, string, Record<string, string>][] = [
  [
    'pnpm',
    'pnpm-lock.yaml',
    '9.15.9',
    {
      'pnpm-lock.yaml': `lockfileVersion: '9.0'
settings: { autoInstallPeers: true, excludeLinksFromLockfile: false }
importers:
  .: { dependencies: { is-number: { specifier: 7.0.0, version: 7.0.0 } } }
packages:
  is-number@7.0.0: { resolution: { integrity: ${isNumber.integrity} }, engines: { node: '>=0.12.0' } }
snapshots: { is-number@7.0.0: {} }
`,
      '.npmrc': 'registry=http://127.0.0.1:1/',
      '.pnpmfile.cjs': 'throw new Error("A program of the repo ran.")',
    },
  ],
  [
    'yarn',
    'yarn.lock',
    '1.22.22',
    {
      'yarn.lock': `# yarn lockfile v1

is-number@7.0.0:
  version "7.0.0"
  resolved "https://registry.yarnpkg.com/is-number/-/is-number-7.0.0.tgz#7535345b896734d5f80c4d06c50955527a14f12b"
  integrity ${isNumber.integrity}
`,
      '.yarnrc': 'registry "http://127.0.0.1:1/"',
    },
  ],
];

it.each(managers)('installs with %s what its lock file says', async (_, lockName, version, files) => {
  const manifest = { name: 'app', version: '1.0.0', dependencies: { 'is-number': '7.0.0' } };
  const repo = await writeRepo({ 'package.json': JSON.stringify(manifest), ...files });
  const name = lockName === 'yarn.lock' ? ('yarn' as const) : ('pnpm' as const);
  await install(repo, {}, { manager: { name, lockName, version } });
  const text = await readFile(join(repo.rootfs, 'node_modules/is-number/package.json'), 'utf8');
  expect(JSON.parse(text)).toMatchObject({ version: '7.0.0' });
  expect(await readdir(repo.folder)).toEqual(['cache', 'rootfs']);
  const changed = { ...manifest, dependencies: { 'is-number': '6.0.0' } };
  await writeFile(join(repo.rootfs, 'package.json'), JSON.stringify(changed));
  await expect(install(repo, {}, { manager: { name, lockName, version } })).rejects.toThrow(/failed.*frozen/is);
});
