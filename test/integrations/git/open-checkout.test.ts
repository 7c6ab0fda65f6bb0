import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openCheckout } from '../../../src/integrations/git/checkout.ts';
import { runGit } from '../../support/run-git.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';
import { commitFiles, openEmptyCheckout } from './empty-checkout.ts';

const getRemote = async () => await Promise.reject(new Error('No code host is needed.'));

it('opens a folder again after git was killed there', async () => {
  const { checkout, start } = await openEmptyCheckout();
  await writeFile(join(checkout.gitDir, 'index.lock'), '');
  const again = await openCheckout({ folder: join(checkout.gitDir, '..'), getRemote });
  const commit = await commitFiles(again, { parents: [start], files: { 'a.txt': 'a' } });
  expect(await again.listParents(commit)).toEqual([start]);
});

it('creates the git folder again if its creation was cut off, and keeps the files', async () => {
  const { checkout } = await openEmptyCheckout();
  await writeFile(join(checkout.workingTree, 'a.txt'), 'a');
  await rm(join(checkout.gitDir, 'ready'));
  await writeFile(join(checkout.gitDir, 'config'), '[cut');
  const again = await openCheckout({ folder: join(checkout.gitDir, '..'), getRemote });
  expect(await again.listFiles(undefined)).toEqual(['a.txt']);
  expect(await readFile(join(again.workingTree, 'a.txt'), 'utf8')).toBe('a');
});

it('commits a merge with its conflict markers', async () => {
  const { checkout, start } = await openEmptyCheckout();
  const ours = await commitFiles(checkout, { parents: [start], files: { 'a.txt': 'ours\n' } });
  const theirs = await commitFiles(checkout, { parents: [start], files: { 'a.txt': 'theirs\n' } });
  await checkout.reset(ours);
  expect(await checkout.merge(theirs, 'main')).toEqual(['a.txt']);
  const merged = await checkout.commit({
    message: 'Merge',
    parents: [ours, theirs],
    commitDate: '2026-01-02T03:04:05Z',
  });
  expect((await checkout.diff(ours, merged)).patch).toContain('+theirs');
});

it('throws the reason if the code host rejects a push', async () => {
  const bare = await createScratchFolder();
  await runGit(bare, 'init', '--bare', '--quiet');
  const hook = join(bare, 'hooks', 'pre-receive');
  await mkdir(join(bare, 'hooks'), { recursive: true });
  await writeFile(hook, '#!/bin/sh\nexit 1\n');
  await chmod(hook, 0o755);
  const folder = await createScratchFolder();
  const checkout = await openCheckout({ folder, getRemote: async () => ({ url: bare }) });
  const commit = await checkout.commit({ message: 'Start', parents: [], commitDate: '2026-01-02T03:04:05Z' });
  await expect(checkout.push(commit, 'refs/heads/x', undefined)).rejects.toThrow(
    /^The code host rejected the push to refs\/heads\/x: .*pre-receive hook declined/,
  );
});
