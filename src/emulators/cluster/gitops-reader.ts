import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FindRepositoryCredentials } from './find-repository-credentials.ts';
import { runGit } from './run-git.ts';

export type GitopsFile = { url: string; branch: string; path: string; project: string };

export type ReadFile = {
  revision: string;
  text: string;
  /** Finds another file of the same commit. */
  findFile(path: string): Promise<string | undefined>;
};

/** Reads single files at the head of a branch, from local clones that are fetched before each read. */
export type GitopsReader = { read(file: GitopsFile, signal: AbortSignal): Promise<ReadFile> };

export async function openGitopsReader(
  folder: string,
  findCredentials: FindRepositoryCredentials,
): Promise<GitopsReader> {
  // A killed git leaves locks behind, so every process starts with new clones.
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const clones = new Map<string, Promise<string>>();
  const getClone = (url: string): Promise<string> => {
    const known = clones.get(url);
    if (known) return known;
    const clone = join(folder, createHash('sha256').update(url).digest('hex').slice(0, 16));
    const created = runGit(['init', '--quiet', '--bare', clone]).then(() => clone);
    clones.set(url, created);
    created.catch(() => clones.delete(url));
    return created;
  };

  return {
    async read({ url, branch, path, project }, signal) {
      const clone = await getClone(url);
      // Zones that share a repo are read concurrently, so each path has its own ref.
      const ref = `refs/read/${createHash('sha256').update(path).digest('hex').slice(0, 16)}`;
      const fetch = [
        'fetch',
        '--quiet',
        '--no-tags',
        '--no-write-fetch-head',
        '--',
        url,
        `+refs/heads/${branch}:${ref}`,
      ];
      await runGit(['--git-dir', clone, ...fetch], { authorization: await findCredentials(url, project), signal });
      const revision = (await runGit(['--git-dir', clone, 'rev-parse', ref])).trim();
      const show = async (file: string): Promise<string> =>
        await runGit(['--git-dir', clone, 'show', `${revision}:${file}`], { signal });
      return { revision, text: await show(path), findFile: async (file) => await show(file).catch(() => undefined) };
    },
  };
}
