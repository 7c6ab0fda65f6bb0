import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { imageBytesMax } from './image-store.ts';
import { BuildFailure } from './plan-build.ts';
import { type GitOptions, runGit } from './run-git.ts';

const run = promisify(execFile);

/** The attributes of a repo can leave files out of its archives, and change others; a builder that clones it has them all. */
const plainAttributes = '* -export-ignore -export-subst\n';

/** Lets `git archive` of a repo of ours write every file as its commit has it. */
export async function ignoreArchiveAttributes(gitDir: string): Promise<void> {
  await mkdir(join(gitDir, 'info'), { recursive: true });
  await writeFile(join(gitDir, 'info', 'attributes'), plainAttributes);
}

export type GitSource = { url: string; revision: string };

/** Extracts the tree of one commit to `<folder>/rootfs`, without its history. */
export async function fetchCommit({ url, revision }: GitSource, folder: string, options: GitOptions): Promise<void> {
  // Each build uses a new repo, because a shared one could keep the locks of a killed git.
  const repo = join(folder, 'source.git');
  const archive = join(folder, 'source.tar');
  await runGit(['init', '--quiet', '--bare', repo]);
  await ignoreArchiveAttributes(repo);
  await runGit(['--git-dir', repo, 'fetch', '--quiet', '--no-tags', '--depth', '1', '--', url, revision], options);
  await assertBuildable(repo, revision, options);
  await runGit(['--git-dir', repo, 'archive', '--format=tar', `--output=${archive}`, revision], options);
  await run('tar', [
    '--extract',
    '--file',
    archive,
    '--directory',
    join(folder, 'rootfs'),
    '--no-same-owner',
    '--no-same-permissions',
  ]);
  await Promise.all([repo, archive].map(async (path) => await rm(path, { recursive: true })));
}

/** A folder can be named many times at almost no cost, so a small repo may have more files than fit on any disk. */
async function assertBuildable(repo: string, revision: string, options: GitOptions): Promise<void> {
  const fix = 'Remove those that the app does not need.';
  const listing = await runGit(['--git-dir', repo, 'ls-tree', '-r', '-l', '-z', revision], options).catch(
    (error: Error) => {
      options.signal?.throwIfAborted();
      // Git is stopped when the list is too long.
      throw new BuildFailure(`The files of the commit cannot be listed: git ${error.message}. ${fix}`);
    },
  );
  const entries = listing.split('\0');
  // Such a file would be written, but never found again under its decoded name.
  const unreadable = entries.find((entry) => entry.includes('\uFFFD'))?.split('\t')[1];
  if (unreadable !== undefined)
    throw new BuildFailure(`The file name "${unreadable}" is not UTF-8. Rename the file, then start again.`);
  const sizes = entries.map((entry) => Number(/^\d+ blob \w+ +(\d+)\t/.exec(entry)?.[1] ?? 0));
  if (sizes.reduce((sum, size) => sum + size, 0) > imageBytesMax)
    throw new BuildFailure(`The files of the commit have more than ${imageBytesMax / 1024 ** 3} GiB together. ${fix}`);
}
