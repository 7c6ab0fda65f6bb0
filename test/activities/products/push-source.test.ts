import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { pushSource } from '../../../activities/products/push-source.ts';
import { isNonRetryable } from '../../../activities/to-failure.ts';
import type { OrgCodehost } from '../../../src/integrations/codehost/codehost.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

const run = promisify(execFile);
const identity = ['-c', 'user.name=T', '-c', 'user.email=t@example.com'];

/** Creates a bare repo with one commit, which a git client reaches by its path. */
async function createOrigin() {
  const folder = await createScratchFolder();
  const [origin, work] = [join(folder, 'origin.git'), join(folder, 'work')];
  const git = async (cwd: string, ...args: string[]) =>
    (await run('git', [...identity, ...args], { cwd })).stdout.trim();
  await run('git', ['init', '--quiet', '--bare', '--initial-branch', 'main', origin]);
  await run('git', ['clone', '--quiet', origin, work]);
  await git(work, 'commit', '--quiet', '--allow-empty', '-m', 'Initial commit');
  await git(work, 'push', '--quiet', 'origin', 'HEAD:refs/heads/main');
  const used: string[] = [];
  const remote = (scope: string) => async () => {
    used.push(scope);
    return { url: origin, authorization: '' };
  };
  const host = { getGitRemote: remote('push'), getCiGitRemote: remote('pushCi') } as unknown as OrgCodehost;
  const push = async (files: Record<string, string>) =>
    await pushSource(host, {
      repo: 'acme/fresh',
      branch: 'main',
      uid: 'u1',
      subject: 'Create fresh',
      commitDate: '2026-01-01T00:00:00Z',
      readFiles: async function* () {
        for (const [path, text] of Object.entries(files)) yield { path, content: Buffer.from(text), executable: false };
      },
      signal: new AbortController().signal,
    });
  return { origin, git, push, used };
}

it('makes the same commit of the same files, and leaves no folder behind', async () => {
  const [one, other] = [await createOrigin(), await createOrigin()];
  const listFolders = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('source-')).length;
  const before = await listFolders();
  const commit = await one.push({ 'a.txt': 'a', 'deep/b.txt': 'b' });
  expect(await one.git(one.origin, 'ls-tree', '-r', '--name-only', commit ?? '')).toBe('a.txt\ndeep/b.txt');
  expect(await one.git(one.origin, 'rev-parse', 'main')).toBe(commit);
  await other.push({ 'a.txt': 'a' });
  expect(await listFolders()).toBeLessThanOrEqual(before);
});

it('uses the permission for CI files only when there are some', async () => {
  const { push, used } = await createOrigin();
  await push({ 'a.txt': 'a' });
  expect(used).not.toContain('pushCi');
  const withCi = await createOrigin();
  await withCi.push({ '.github/workflows/ci.yml': 'on: push' });
  expect(withCi.used.at(-1)).toBe('pushCi');
});

it('gives up when the rules of the code host reject the commit, because a repetition would be rejected too', async () => {
  const { origin, push } = await createOrigin();
  const hook = join(origin, 'hooks', 'pre-receive');
  await mkdir(join(origin, 'hooks'), { recursive: true });
  await writeFile(hook, '#!/bin/sh\nexit 1\n');
  await chmod(hook, 0o755);
  const rejection = await push({ 'a.txt': 'a' }).catch((error: unknown) => error);
  expect(rejection).toMatchObject({ message: expect.stringMatching(/rejected the push .*pre-receive hook declined/) });
  expect(isNonRetryable(rejection)).toBe(true);
});
