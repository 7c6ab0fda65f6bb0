import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openCheckout } from '../../../src/integrations/git/checkout.ts';
import { PushRejectedError } from '../../../src/integrations/git/push-result.ts';
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

/** Creates a code host whose hook decides on each push, and a commit to push to it. */
async function createHook(script: string) {
  const bare = await createScratchFolder();
  await runGit(bare, 'init', '--bare', '--quiet');
  const hook = join(bare, 'hooks', 'pre-receive');
  await mkdir(join(bare, 'hooks'), { recursive: true });
  await writeFile(hook, `#!/bin/sh\n${script}\n`);
  await chmod(hook, 0o755);
  const folder = await createScratchFolder();
  const checkout = await openCheckout({ folder, getRemote: async () => ({ url: bare }) });
  const commit = await checkout.commit({ message: 'Start', parents: [], commitDate: '2026-01-02T03:04:05Z' });
  return { bare, checkout, commit };
}

it('throws the reason if the code host rejects a push, with what it says about it', async () => {
  const { checkout, commit } = await createHook(
    'printf "error: GH013: Rule violations\\n\\n- Secret in a.txt:1\\n" >&2; exit 1',
  );
  const error = await checkout
    .push(commit, 'refs/heads/non-fast-forward', undefined)
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(PushRejectedError);
  expect((error as Error).message).toBe(
    'The code host rejected the push to refs/heads/non-fast-forward: [remote rejected] (pre-receive hook declined)\n' +
      'error: GH013: Rule violations\n- Secret in a.txt:1',
  );
});

it('throws another error if the code host fails during a push, because a repetition may succeed', async () => {
  const { bare, checkout, commit } = await createHook('exit 0');
  await rm(join(bare, 'objects'), { recursive: true });
  await mkdir(join(bare, 'objects'));
  await writeFile(join(bare, 'objects', commit.slice(0, 2)), '');
  const error = await checkout.push(commit, 'refs/heads/x', undefined).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ message: expect.stringContaining('unable to migrate objects') });
  expect(error).not.toBeInstanceOf(PushRejectedError);
});
