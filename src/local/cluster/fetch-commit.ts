import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type GitOptions, git } from './git.ts';

const run = promisify(execFile);

export type Source = { url: string; revision: string };

/** Lays the tree of exactly one commit out in `<folder>/rootfs`, without its history. */
export async function fetchCommit({ url, revision }: Source, folder: string, options: GitOptions): Promise<void> {
  // A repo of its own for each build: a kept one would also keep the locks of a git that was killed.
  const repo = join(folder, 'source.git');
  const archive = join(folder, 'source.tar');
  await git(['init', '--quiet', '--bare', repo]);
  await git(['--git-dir', repo, 'fetch', '--quiet', '--no-tags', '--depth', '1', '--', url, revision], options);
  await git(['--git-dir', repo, 'archive', '--format=tar', `--output=${archive}`, revision], options);
  await run('tar', ['--extract', '--file', archive, '--directory', join(folder, 'rootfs'), '--no-same-owner']);
  await Promise.all([repo, archive].map(async (path) => await rm(path, { recursive: true })));
}
