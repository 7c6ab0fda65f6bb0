import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import {
  startTestCodehost,
  createFolder,
  registerApp,
  startShopFixture,
  getInstallationOctokit,
  pushBranch,
  withToken,
} from './codehost-fixture.ts';
import { runGit } from '../../support/run-git.ts';

it('serves a public repository to anonymous clones', async () => {
  const { codehost } = await startShopFixture({ 'src/a.txt': 'a\n', '.gitignore': 'secret\n', secret: 's' });
  const folder = await createFolder();
  await runGit(folder, '-c', 'protocol.version=2', 'clone', '--quiet', `${codehost.url}/acme/shop.git`, 'shop');
  expect(await runGit(join(folder, 'shop'), 'ls-files')).toBe('.gitignore\nsrc/a.txt');
  expect(await runGit(folder, 'ls-remote', '--symref', `${codehost.url}/acme/shop`, 'HEAD')).toContain(
    'refs/heads/main',
  );
});

it('401: a push without a token or with an unknown one', async () => {
  const { codehost } = await startShopFixture();
  const folder = await createFolder();
  await runGit(folder, 'clone', '--quiet', `${codehost.url}/acme/shop.git`, 'shop');
  const shop = join(folder, 'shop');
  await runGit(shop, 'commit', '--quiet', '--allow-empty', '-m', 'x');
  await expect(runGit(shop, 'push', 'origin', 'HEAD:main')).rejects.toThrow(
    /could not read Username|Authentication failed/,
  );
  await expect(
    runGit(shop, 'push', `${withToken(codehost.url, 'ghs_unknown')}/acme/shop.git`, 'HEAD:main'),
  ).rejects.toThrow('Authentication failed');
});

it('accepts a large push with an installation token and emits an event', async () => {
  const { codehost, receiver, octokit, token, repo } = await startShopFixture();
  const text = Array.from({ length: 40_000 }, (_, line) => `line ${line} ${Math.sin(line)}`).join('\n');
  const sha = await pushBranch(codehost, { token, branch: 'feature/big', files: { 'big.txt': text } });

  const { data } = await octokit.request('GET /repos/{owner}/{repo}/branches/{branch}', {
    ...repo,
    branch: 'feature/big',
  });
  expect(data.commit.sha).toBe(sha);
  const [push] = await receiver.received('push');
  expect(push).toMatchObject({
    hasValidSignature: true,
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

it('completes a push whose client goes away, and emits its event', async () => {
  const { codehost, receiver, token } = await startShopFixture();
  const repository = join(codehost.dataDir, 'repos/acme/shop.git');
  await runGit(repository, 'config', 'core.filesRefLockTimeout', '60000');
  const lock = join(repository, 'refs/heads/held.lock');
  await writeFile(lock, '');
  const folder = await createFolder();
  await runGit(folder, 'clone', '--quiet', `${withToken(codehost.url, token)}/acme/shop.git`, 'shop');
  const shop = join(folder, 'shop');
  await runGit(shop, 'commit', '--quiet', '--allow-empty', '-m', 'x');
  const sha = await runGit(shop, 'rev-parse', 'HEAD');

  const push = spawn('git', ['push', 'origin', 'HEAD:refs/heads/held'], { cwd: shop, detached: true, stdio: 'ignore' });
  await expect.poll(() => existsSync(join(repository, 'objects', sha.slice(0, 2), sha.slice(2)))).toBe(true);
  process.kill(-(push.pid ?? 0), 'SIGKILL');
  // The host gets a moment to notice that its client went away.
  await sleep(500);
  await rm(lock);

  const [event] = await receiver.received('push');
  expect(event).toMatchObject({ payload: { ref: 'refs/heads/held', after: sha } });
});

it('403 or 404: a push by an installation without write access, or of another account', async () => {
  const codehost = await startTestCodehost();
  await codehost.seedRepository('acme/shop', await createFolder({ a: 'a' }));
  await codehost.seedRepository('other/shop', await createFolder({ a: 'a' }));
  const { octokitApp } = await registerApp(codehost, { permissions: { contents: 'read' } });
  const octokit = await getInstallationOctokit(octokitApp, 'acme');
  const { token } = (await octokit.auth({ type: 'installation' })) as { token: string };
  const folder = await createFolder();
  await runGit(folder, 'clone', '--quiet', `${codehost.url}/acme/shop.git`, 'shop');
  const push = (name: string): Promise<string> =>
    runGit(join(folder, 'shop'), 'push', `${withToken(codehost.url, token)}/${name}.git`, 'HEAD:refs/heads/x');
  await expect(push('acme/shop')).rejects.toThrow('403');
  await expect(push('other/shop')).rejects.toThrow('not found');
});

it('creates a repository on a push by the owner, with the pushed branch as its default branch', async () => {
  const codehost = await startTestCodehost();
  const folder = await createFolder({ 'index.html': 'hello' });
  await runGit(folder, 'init', '--quiet');
  await runGit(folder, 'checkout', '--quiet', '-b', 'trunk');
  await runGit(folder, 'add', 'index.html');
  await runGit(folder, 'commit', '--quiet', '-m', 'first');
  await runGit(folder, 'push', '--quiet', `${withToken(codehost.url, codehost.userToken)}/new-org/site.git`, 'trunk');

  const response = await fetch(`${codehost.apiUrl}/repos/new-org/site`);
  expect(await response.json()).toMatchObject({
    full_name: 'new-org/site',
    default_branch: 'trunk',
    owner: { type: 'Organization' },
  });
  await expect(
    runGit(folder, 'push', '--quiet', `${withToken(codehost.url, codehost.userToken)}/api/-x.git`, 'trunk'),
  ).rejects.toThrow('not found');
});

it('hides a private repository from anonymous callers', async () => {
  const { codehost, octokit, token } = await startShopFixture();
  await octokit.request('POST /orgs/{org}/repos', { org: 'acme', name: 'hidden', private: true, auto_init: true });
  const folder = await createFolder();

  expect((await fetch(`${codehost.apiUrl}/repos/acme/hidden`)).status).toBe(404);
  expect((await fetch(`${codehost.url}/acme/hidden`)).status).toBe(404);
  await expect(runGit(folder, 'clone', `${codehost.url}/acme/hidden.git`)).rejects.toThrow('could not read Username');
  await runGit(folder, 'clone', '--quiet', `${withToken(codehost.url, token)}/acme/hidden.git`, 'hidden');
});

it('does not run hooks of a repository', async () => {
  const { codehost, token } = await startShopFixture();
  const marker = join(await createFolder(), 'executed');
  const hook = join(codehost.dataDir, 'repos/acme/shop.git/hooks/pre-receive');
  await mkdir(dirname(hook), { recursive: true });
  await writeFile(hook, `#!/bin/sh\ntouch ${marker}\nexit 1\n`, { mode: 0o755 });
  await pushBranch(codehost, { token, branch: 'x', files: { a: 'a' } });
  expect(existsSync(marker)).toBe(false);
});
