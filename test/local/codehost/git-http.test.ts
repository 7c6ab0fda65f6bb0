import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { aCodehost, aFolder, anApp, aShop, git, installationOctokit, pushBranch, withToken } from './a-codehost.ts';

it('lets anybody clone a public repository', async () => {
  const { codehost } = await aShop({ 'src/a.txt': 'a\n', '.gitignore': 'secret\n', secret: 's' });
  const folder = await aFolder();
  await git(folder, '-c', 'protocol.version=2', 'clone', '--quiet', `${codehost.url}/acme/shop.git`, 'shop');
  expect(await git(join(folder, 'shop'), 'ls-files')).toBe('.gitignore\nsrc/a.txt');
  expect(await git(folder, 'ls-remote', '--symref', `${codehost.url}/acme/shop`, 'HEAD')).toContain('refs/heads/main');
});

it('401: a push without a token, or with one that nobody gave out', async () => {
  const { codehost } = await aShop();
  const folder = await aFolder();
  await git(folder, 'clone', '--quiet', `${codehost.url}/acme/shop.git`, 'shop');
  const shop = join(folder, 'shop');
  await git(shop, 'commit', '--quiet', '--allow-empty', '-m', 'x');
  await expect(git(shop, 'push', 'origin', 'HEAD:main')).rejects.toThrow(
    /could not read Username|Authentication failed/,
  );
  await expect(
    git(shop, 'push', `${withToken(codehost.url, 'ghs_nobody')}/acme/shop.git`, 'HEAD:main'),
  ).rejects.toThrow('Authentication failed');
});

it('takes a push with an installation token and tells of it, from the first byte compressed or not', async () => {
  const { codehost, receiver, octokit, token, repo } = await aShop();
  const text = Array.from({ length: 40_000 }, (_, line) => `line ${line} ${Math.sin(line)}`).join('\n');
  const sha = await pushBranch(codehost, { token, branch: 'feature/big', files: { 'big.txt': text } });

  const { data } = await octokit.request('GET /repos/{owner}/{repo}/branches/{branch}', {
    ...repo,
    branch: 'feature/big',
  });
  expect(data.commit.sha).toBe(sha);
  const [push] = await receiver.received('push');
  expect(push).toMatchObject({
    genuine: true,
    payload: {
      ref: 'refs/heads/feature/big',
      before: '0'.repeat(40),
      after: sha,
      created: true,
      commits: [{ id: sha, added: ['big.txt'], removed: [], modified: [] }],
      head_commit: { id: sha },
      sender: { login: 'delivery[bot]', type: 'Bot' },
    },
  });
});

it('403 or 404: a push by an installation that may not write, or of another account', async () => {
  const codehost = await aCodehost();
  await codehost.seedRepository('acme/shop', await aFolder({ a: 'a' }));
  await codehost.seedRepository('other/shop', await aFolder({ a: 'a' }));
  const { octokitApp } = await anApp(codehost, { permissions: { contents: 'read' } });
  const octokit = await installationOctokit(octokitApp, 'acme');
  const { token } = (await octokit.auth({ type: 'installation' })) as { token: string };
  const folder = await aFolder();
  await git(folder, 'clone', '--quiet', `${codehost.url}/acme/shop.git`, 'shop');
  const push = (name: string): Promise<string> =>
    git(join(folder, 'shop'), 'push', `${withToken(codehost.url, token)}/${name}.git`, 'HEAD:refs/heads/x');
  await expect(push('acme/shop')).rejects.toThrow('403');
  await expect(push('other/shop')).rejects.toThrow('not found');
});

it('makes the repository that the owner of the machine pushes to, with the pushed branch as its default', async () => {
  const codehost = await aCodehost();
  const folder = await aFolder({ 'index.html': 'hello' });
  await git(folder, 'init', '--quiet');
  await git(folder, 'checkout', '--quiet', '-b', 'trunk');
  await git(folder, 'add', 'index.html');
  await git(folder, 'commit', '--quiet', '-m', 'first');
  await git(folder, 'push', '--quiet', `${withToken(codehost.url, codehost.userToken)}/new-org/site.git`, 'trunk');

  const response = await fetch(`${codehost.apiUrl}/repos/new-org/site`);
  expect(await response.json()).toMatchObject({
    full_name: 'new-org/site',
    default_branch: 'trunk',
    owner: { type: 'Organization' },
  });
  await expect(
    git(folder, 'push', '--quiet', `${withToken(codehost.url, codehost.userToken)}/api/-x.git`, 'trunk'),
  ).rejects.toThrow('not found');
});

it('hides a private repository from everybody else', async () => {
  const { codehost, octokit, token } = await aShop();
  await octokit.request('POST /orgs/{org}/repos', { org: 'acme', name: 'hidden', private: true, auto_init: true });
  const folder = await aFolder();

  expect((await fetch(`${codehost.apiUrl}/repos/acme/hidden`)).status).toBe(404);
  expect((await fetch(`${codehost.url}/acme/hidden`)).status).toBe(404);
  await expect(git(folder, 'clone', `${codehost.url}/acme/hidden.git`)).rejects.toThrow('could not read Username');
  await git(folder, 'clone', '--quiet', `${withToken(codehost.url, token)}/acme/hidden.git`, 'hidden');
});

it('runs no hook that lies in a repository', async () => {
  const { codehost, token } = await aShop();
  const trap = join(await aFolder(), 'sprung');
  const hook = join(codehost.dataDir, 'repos/acme/shop.git/hooks/pre-receive');
  await mkdir(dirname(hook), { recursive: true });
  await writeFile(hook, `#!/bin/sh\ntouch ${trap}\nexit 1\n`, { mode: 0o755 });
  await pushBranch(codehost, { token, branch: 'x', files: { a: 'a' } });
  expect(existsSync(trap)).toBe(false);
});
