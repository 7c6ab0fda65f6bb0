import { chown, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getuid } from 'node:process';
import { expect, it } from 'vitest';
import { explainCloneFailure, inspectRepository } from '../../../src/main/demo/inspect-repository.ts';
import { commitFiles } from '../../support/create-repository.ts';
import { runGit } from '../../support/run-git.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

it('identifies a folder by its path without links, and tells uncommitted changes', async () => {
  const folder = await createScratchFolder();
  await commitFiles(join(folder, 'shop'), { 'index.html': 'Shop' });
  await symlink(join(folder, 'shop'), join(folder, 'link'));
  const clean = await inspectRepository(join(folder, 'link'));
  expect(clean).toMatchObject({ source: join(folder, 'shop'), notes: [] });
  await writeFile(join(folder, 'shop', 'index.html'), 'Changed');
  const { notes } = await inspectRepository(join(folder, 'shop'));
  expect(notes).toEqual([expect.stringContaining('has uncommitted changes')]);
});

it('finds a path in the folder that the demo was called in', async () => {
  const folder = await createScratchFolder();
  await commitFiles(join(folder, 'shop'), { 'index.html': 'Shop' });
  expect(await inspectRepository('shop', folder)).toMatchObject({ source: join(folder, 'shop') });
  expect(await inspectRepository('.', join(folder, 'shop'))).toMatchObject({ source: join(folder, 'shop') });
  expect(await inspectRepository('https://host.test/shop', folder)).toMatchObject({
    source: 'https://host.test/shop',
  });
});

it('accepts a bare repository and a detached head', async () => {
  const folder = await createScratchFolder();
  const head = await commitFiles(join(folder, 'shop'), { 'index.html': 'Shop' });
  await runGit(folder, 'clone', '--quiet', '--bare', 'shop', 'bare.git');
  await runGit(join(folder, 'shop'), 'checkout', '--quiet', '--detach', head);
  expect((await inspectRepository(join(folder, 'bare.git'))).notes).toEqual([]);
  expect((await inspectRepository(join(folder, 'shop'))).notes).toEqual([]);
});

it('says how to fix a folder that cannot be copied', async () => {
  const folder = await createScratchFolder();
  await mkdir(join(folder, 'plain'));
  await runGit(folder, 'init', '--quiet', 'empty');
  await commitFiles(join(folder, 'full'), { a: '1' });
  await commitFiles(join(folder, 'full'), { a: '2' });
  await runGit(folder, 'clone', '--quiet', '--depth', '1', `file://${folder}/full`, 'shallow');
  const inspect = async (name: string) => await inspectRepository(join(folder, name));
  await expect(inspect('missing')).rejects.toThrow(/missing does not exist\. Pass the path or the URL/);
  await expect(inspect('plain')).rejects.toThrow(/plain is not a git repository\. Run "git init"/);
  await expect(inspect('empty')).rejects.toThrow(/empty has no commit\. Commit its files/);
  await expect(inspect('shallow')).rejects.toThrow(/is a shallow clone.*fetch --unshallow/);
  await expect(inspectRepository(' ')).rejects.toThrow('--repo is empty');
});

it('names the root of the repository for one of its folders, because git copies no folder', async () => {
  const root = join(await createScratchFolder(), 'shop');
  await commitFiles(root, { 'apps/web/index.html': 'Shop' });
  await expect(inspectRepository(join(root, 'apps', 'web'))).rejects.toThrow(
    `is a folder of the repository ${root}. Pass that path,`,
  );
  await mkdir(join(root, 'new'));
  await expect(inspectRepository(join(root, 'new'))).rejects.toThrow(`is a folder of the repository ${root}.`);
});

it('names the branch that has commits when the default branch has none', async () => {
  const folder = await createScratchFolder();
  await commitFiles(join(folder, 'shop'), { 'index.html': 'Shop' });
  await runGit(join(folder, 'shop'), 'branch', '--move', 'work');
  await runGit(folder, 'init', '--quiet', '--bare', '--initial-branch', 'master', 'bare.git');
  await runGit(join(folder, 'shop'), 'push', '--quiet', join(folder, 'bare.git'), 'work');
  await expect(inspectRepository(join(folder, 'bare.git'))).rejects.toThrow(
    /The default branch "master" of the repository .*bare\.git has no commit, and "work" has\. Make that the default/,
  );
});

it.runIf(getuid?.() === 0)('names the command that trusts a repository of another user', async () => {
  const folder = join(await createScratchFolder(), 'foreign');
  await commitFiles(folder, { a: '1' });
  await chown(folder, 1234, 1234);
  await chown(join(folder, '.git'), 1234, 1234);
  await expect(inspectRepository(folder)).rejects.toThrow(`"git config --global --add safe.directory ${folder}"`);
});

it.each([
  ["fatal: unable to access 'https://h/x.git/': Could not resolve host: h", /cannot be reached\. Check the URL/],
  ["fatal: could not read Username for 'https://h': terminal prompts disabled", /rejected the credentials/],
  ["fatal: repository 'https://me:s3cr3t@h/x.git/' not found", /it does not exist, or it is private/],
  [
    "fatal: something new at 'https://me:a@s3cr3t@h/x.git/'",
    /cannot be cloned: fatal: something new at 'https:\/\/h\//,
  ],
  ["fatal: something new at 'https://me:s3cr3t@h/x.git/'", /cannot be cloned: fatal: something new at 'https:\/\/h\//],
])('explains the failed clone "%s" without the token of the URL', async (stderr, expected) => {
  const repository = await inspectRepository('https://me:s3cr3t@h/x.git');
  expect(repository.location).toContain('s3cr3t');
  expect(repository.source).toBe('https://h/x.git');
  const message = explainCloneFailure(repository, { ok: false, stdout: '', stderr });
  expect(message).toMatch(expected);
  expect(message).not.toContain('s3cr3t');
});
