import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startCodehost } from '../../../src/emulators/codehost/start-codehost.ts';
import { importRepository, isOnCodehost } from '../../../src/main/demo/import-repository.ts';
import { inspectRepository } from '../../../src/main/demo/inspect-repository.ts';
import { commitFiles } from '../../support/create-repository.ts';
import { runGit } from '../../support/run-git.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

async function startImport() {
  const folder = await createScratchFolder();
  const host = await startCodehost({ dataDir: join(folder, 'codehost'), port: 0 });
  onTestFinished(host.close);
  const codehost = { codehostUrl: host.url, codehostToken: host.userToken };
  const repo = join(folder, 'shop');
  const lines: string[] = [];
  return {
    repo,
    lines,
    codehost,
    remote: `${host.url.replace('://', `://owner:${host.userToken}@`)}/acme/shop.git`,
    run: async () =>
      await importRepository(codehost, {
        repository: await inspectRepository(repo),
        fullName: 'acme/shop',
        printLine: (line) => lines.push(line),
      }),
  };
}

it('copies the default branch as main, and later its new commits', async () => {
  const { repo, remote, codehost, run } = await startImport();
  const first = await commitFiles(repo, { 'index.html': 'One' });
  expect(await isOnCodehost(codehost, 'acme')('shop')).toBe(false);
  expect(await run()).toEqual({ buildViolation: undefined });
  expect(await isOnCodehost(codehost, 'acme')('shop')).toBe(true);
  expect(await runGit(repo, 'ls-remote', remote, 'refs/heads/main')).toContain(first);
  const second = await commitFiles(repo, { 'index.html': 'Two' });
  await run();
  expect(await runGit(repo, 'ls-remote', remote, 'refs/heads/main')).toContain(second);
});

it('sends nothing for the code host to the proxy of the machine, which would learn its token', async () => {
  const { repo, codehost, run } = await startImport();
  const received: string[] = [];
  const proxy = createServer(({ url = '' }, response) => {
    received.push(url);
    response.writeHead(502).end();
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => void proxy.close());
  vi.stubEnv('http_proxy', `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  vi.stubEnv('no_proxy', '');
  onTestFinished(() => void vi.unstubAllEnvs());
  await commitFiles(repo, { 'index.html': 'One' });
  await expect(run()).resolves.toEqual({ buildViolation: undefined });
  expect(await isOnCodehost(codehost, 'acme')('shop')).toBe(true);
  expect(received).toEqual([]);
});

it('prints the progress of git while a large repository is copied, and not each of its steps', async () => {
  const { repo, lines, run } = await startImport();
  await commitFiles(repo, { 'index.html': 'One' });
  await run();
  expect(lines).toEqual([`Copying the repository ${repo} to the code host…`]);
  await commitFiles(repo, { 'index.html': 'Two' });
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  lines.push = (...added) => {
    // Five seconds pass after the first line, and no time after the next ones.
    if (added[0]?.endsWith('…')) vi.setSystemTime(Date.now() + 5_000);
    return Array.prototype.push.apply(lines, added);
  };
  await run();
  expect(lines.slice(2)).toEqual([
    expect.stringMatching(/^Copying the repository \S+ to the code host: [A-Z][a-z]+ing [a-z]+: +\d+%$/),
  ]);
});

it('keeps the commits of the code host, and says when the repository has others', async () => {
  const { repo, remote, lines, run } = await startImport();
  await commitFiles(repo, { 'index.html': 'One' });
  await run();
  await runGit(repo, 'checkout', '--quiet', '-b', 'merged');
  const merged = await commitFiles(repo, { 'note.md': 'Merged' });
  await runGit(repo, 'push', '--quiet', remote, 'merged:main');
  await runGit(repo, 'checkout', '--quiet', 'trunk');
  lines.length = 0;
  await run();
  expect(lines.join('\n')).not.toContain('not part of the demo');
  await commitFiles(repo, { 'index.html': 'Two' });
  await run();
  expect(lines.join('\n')).toContain('your new commits are not part of the demo');
  expect(await runGit(repo, 'ls-remote', remote, 'refs/heads/main')).toContain(merged);
});

it('says what the build will miss, and why the commit cannot be built', async () => {
  const { repo, lines, run } = await startImport();
  await commitFiles(repo, {
    'package.json': JSON.stringify({ scripts: { start: 'node .' }, dependencies: { express: '5' } }),
    '.gitmodules': '[submodule "lib"]\n\tpath = lib\n\turl = ../lib\n',
    'pictures/.gitattributes': '*.png filter=lfs diff=lfs merge=lfs -text\n',
  });
  const { buildViolation } = await run();
  expect(buildViolation).toMatch(/package-lock\.json is missing: run npm install/);
  expect(lines).toContainEqual(expect.stringContaining('has submodules'));
  expect(lines).toContainEqual(expect.stringContaining('has Git LFS files'));
  await commitFiles(repo, {
    'package-lock.json': JSON.stringify({ lockfileVersion: 3, packages: { 'node_modules/express': {} } }),
  });
  expect(await run()).toEqual({ buildViolation: undefined });
});

it('says that the packages of Python are not installed, before money is spent on a Change', async () => {
  const { repo, lines, run } = await startImport();
  const note = expect.stringContaining('does not install the packages of requirements.txt') as string;
  await commitFiles(repo, { Procfile: 'web: python3 -m shop', 'requirements.txt': '# None yet\n' });
  expect(await run()).toEqual({ buildViolation: undefined });
  expect(lines).not.toContainEqual(note);
  await commitFiles(repo, { 'requirements.txt': '# The web framework\nflask==3.1\n' });
  expect(await run()).toEqual({ buildViolation: undefined });
  expect(lines).toContainEqual(note);
});

it('finds the files that an archive of the repo leaves out, because the build has them too', async () => {
  const { repo, run } = await startImport();
  await commitFiles(repo, {
    '.gitattributes': 'package-lock.json export-ignore\n',
    'package.json': JSON.stringify({ scripts: { start: 'node .' }, dependencies: { express: '5' } }),
    'package-lock.json': JSON.stringify({ lockfileVersion: 3, packages: { 'node_modules/express': {} } }),
  });
  expect(await run()).toEqual({ buildViolation: undefined });
});
