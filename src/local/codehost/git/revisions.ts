import { isRefName } from '../names.ts';
import type { Git } from './git.ts';

/** The commit that a branch, tag or sha names, in that order. */
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

/** The kind of an object given by its sha alone. */
export async function objectType(git: Git, directory: string, sha: string): Promise<string | undefined> {
  if (!/^[0-9a-f]{40}$/.test(sha)) return undefined;
  const answer = await git.text(directory, ['cat-file', '--batch-check'], { input: `${sha}\n` });
  return /^[0-9a-f]{40} (commit|tree|blob|tag) /.exec(answer)?.[1];
}

/** Branches and tags by full name; an annotated tag names its tag object. */
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
  { ancestor, of }: { ancestor: string; of: string },
): Promise<boolean> {
  return (await git.attempt(directory, ['merge-base', '--is-ancestor', ancestor, of])).status === 0;
}

export async function mergeBase(git: Git, directory: string, shas: [string, string]): Promise<string | undefined> {
  const { status, stdout } = await git.attempt(directory, ['merge-base', ...shas]);
  return status === 0 ? stdout.toString().trim() : undefined;
}

/** The commits on `head` that are not on `base`, oldest first. */
export async function commitsBetween(
  git: Git,
  directory: string,
  { base, head }: { base: string; head: string },
): Promise<string[]> {
  const lines = await git.text(directory, ['rev-list', '--reverse', '--topo-order', `${base}..${head}`]);
  return lines.split('\n').filter(Boolean);
}

/** Moves, creates (`from` of zeros) or deletes (no `to`) a ref, unless it is no longer where it was. */
export async function moveRef(
  git: Git,
  directory: string,
  move: { ref: string; from: string; to?: string },
): Promise<boolean> {
  const args = move.to === undefined ? ['-d', '--', move.ref, move.from] : ['--', move.ref, move.to, move.from];
  return (await git.attempt(directory, ['update-ref', ...args])).status === 0;
}

export const noSha = '0'.repeat(40);
