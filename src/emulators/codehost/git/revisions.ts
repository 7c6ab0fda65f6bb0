import { isRefName } from '../names.ts';
import type { Git } from './git.ts';

/** Resolves the name of a branch, tag or commit, in this order of precedence. */
export async function resolveCommit(git: Git, directory: string, name: string): Promise<string | undefined> {
  if (!isRefName(name)) return undefined;
  const input = [`refs/heads/${name}`, `refs/tags/${name}`, name]
    .map((candidate) => `${candidate}^{commit}\n`)
    .join('');
  const answers = await git.text(directory, ['cat-file', '--batch-check'], { input });
  return answers
    .split('\n')
    .map((line) => /^([0-9a-f]{40}) commit /.exec(line)?.[1])
    .find((sha) => sha !== undefined);
}

export async function findObjectType(git: Git, directory: string, sha: string): Promise<string | undefined> {
  if (!/^[0-9a-f]{40}$/.test(sha)) return undefined;
  const answer = await git.text(directory, ['cat-file', '--batch-check'], { input: `${sha}\n` });
  return /^[0-9a-f]{40} (commit|tree|blob|tag) /.exec(answer)?.[1];
}

/** Returns branches and tags by full name. An annotated tag maps to its tag object. */
export async function readRefs(git: Git, directory: string): Promise<Map<string, string>> {
  const lines = await git.text(directory, [
    'for-each-ref',
    '--format=%(refname) %(objectname)',
    'refs/heads/',
    'refs/tags/',
  ]);
  return new Map(
    lines
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split(' ') as [string, string]),
  );
}

export async function isAncestor(
  git: Git,
  directory: string,
  { ancestor, descendant }: { ancestor: string; descendant: string },
): Promise<boolean> {
  return (await git.attempt(directory, ['merge-base', '--is-ancestor', ancestor, descendant])).status === 0;
}

export async function findMergeBase(git: Git, directory: string, shas: [string, string]): Promise<string | undefined> {
  const { status, stdout } = await git.attempt(directory, ['merge-base', ...shas]);
  return status === 0 ? stdout.toString().trim() : undefined;
}

/** Lists the commits on `head` that are not on `base`, oldest first. */
export async function listCommitsBetween(
  git: Git,
  directory: string,
  { base, head }: { base: string; head: string },
): Promise<string[]> {
  const lines = await git.text(directory, ['rev-list', '--reverse', '--topo-order', `${base}..${head}`]);
  return lines.split('\n').filter(Boolean);
}

/** Moves, creates (`from` is `zeroSha`) or deletes (no `to`) a ref. Returns false when it no longer points to `from`. */
export async function updateRef(
  git: Git,
  directory: string,
  update: { ref: string; from: string; to?: string },
): Promise<boolean> {
  const { ref, from, to } = update;
  const args = to === undefined ? ['-d', '--', ref, from] : ['--', ref, to, from];
  return (await git.attempt(directory, ['update-ref', ...args])).status === 0;
}

export const zeroSha = '0'.repeat(40);
