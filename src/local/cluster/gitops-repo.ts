import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type CredentialsFor, git } from './git.ts';

export type GitopsFile = { url: string; branch: string; path: string };

/** Reads single files at the head of a branch, through local copies that are fetched each time. */
export type GitopsReader = { read(file: GitopsFile, signal: AbortSignal): Promise<{ revision: string; text: string }> };

export async function openGitopsReader(folder: string, credentialsFor: CredentialsFor): Promise<GitopsReader> {
  // A git that was killed leaves locks behind, so the copies are as old as this process.
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const copies = new Map<string, Promise<string>>();
  const copyOf = (url: string): Promise<string> => {
    const known = copies.get(url);
    if (known) return known;
    const copy = join(folder, createHash('sha256').update(url).digest('hex').slice(0, 16));
    const made = git(['init', '--quiet', '--bare', copy]).then(() => copy);
    copies.set(url, made);
    made.catch(() => copies.delete(url));
    return made;
  };

  return {
    async read({ url, branch, path }, signal) {
      const copy = await copyOf(url);
      // Several zones of one repo are read at once: each has a ref of its own.
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
      await git(['--git-dir', copy, ...fetch], { authorization: await credentialsFor(url), signal });
      const revision = (await git(['--git-dir', copy, 'rev-parse', ref])).trim();
      return { revision, text: await git(['--git-dir', copy, 'show', `${revision}:${path}`], { signal }) };
    },
  };
}
