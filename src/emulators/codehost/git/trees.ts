import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from './git.ts';

export type TreeEntry = { path: string; mode: string; type: string; sha: string; size?: number };
/** A change with `sha: null` removes the path. */
export type TreeChange = { path: string; mode: string; sha: string | null };

export async function readTree(
  git: Git,
  directory: string,
  { treeish, recursive, path }: { treeish: string; recursive?: boolean; path?: string },
): Promise<TreeEntry[]> {
  const args = [
    'ls-tree',
    '-z',
    '--long',
    ...(recursive === true ? ['-r', '-t'] : []),
    treeish,
    ...(path === undefined ? [] : ['--', path]),
  ];
  const text = await git.text(directory, args, { env: { GIT_LITERAL_PATHSPECS: '1' } });
  return text.split('\0').filter(Boolean).map(parseEntry);
}

function parseEntry(line: string): TreeEntry {
  const [, mode = '', type = '', sha = '', size = '-', path = ''] =
    /^(\d+) (\w+) ([0-9a-f]+) +(\d+|-)\t([^]*)$/.exec(line) ?? [];
  return { path, mode, type, sha, ...(size === '-' ? {} : { size: Number(size) }) };
}

export async function writeBlob(git: Git, directory: string, content: string | Buffer): Promise<string> {
  return git.text(directory, ['hash-object', '-w', '--stdin'], { input: content });
}

export async function readBlob(git: Git, directory: string, sha: string): Promise<Buffer> {
  const { status, stdout, stderr } = await git.attempt(directory, ['cat-file', 'blob', sha]);
  if (status !== 0) throw new Error(`git cat-file ended with status ${status}: ${stderr.trim()}`);
  return stdout;
}

/** Applies changes to a tree. Returns undefined when git rejects a path or an object, or a removed path does not exist. */
export async function writeTree(
  git: Git,
  directory: string,
  { base, changes }: { base?: string; changes: TreeChange[] },
): Promise<string | undefined> {
  const index = join(directory, `index-${randomUUID()}`);
  const env = { GIT_INDEX_FILE: index };
  try {
    if (base !== undefined) await git.text(directory, ['read-tree', base], { env });
    for (const change of changes) {
      const lines = await toIndexLines(git, directory, { base, change });
      if (lines === undefined) return undefined;
      const { status, stderr } = await git.attempt(directory, ['update-index', '-z', '--index-info'], {
        env,
        input: lines.map((line) => `${line}\0`).join(''),
      });
      // Git skips a path such as `.git/config` with a warning and status 0.
      if (status !== 0 || stderr !== '') return undefined;
    }
    const written = await git.attempt(directory, ['write-tree'], { env });
    return written.status === 0 ? written.stdout.toString().trim() : undefined;
  } finally {
    await rm(index, { force: true });
    await rm(`${index}.lock`, { force: true });
  }
}

/** The index contains files only, so a folder is added or removed as all of its files. */
async function toIndexLines(
  git: Git,
  directory: string,
  { base, change: { path, mode, sha } }: { base: string | undefined; change: TreeChange },
): Promise<string[] | undefined> {
  if (sha !== null && mode !== '040000') return [`${mode} ${sha}\t${path}`];
  const inBase =
    base === undefined
      ? []
      : (await readTree(git, directory, { treeish: base, recursive: true, path })).filter(
          ({ type }) => type !== 'tree',
        );
  const removals = inBase.map((entry) => `0 ${'0'.repeat(40)}\t${entry.path}`);
  if (sha === null) return removals.length > 0 ? removals : undefined;
  const inTree = (await readTree(git, directory, { treeish: sha, recursive: true })).filter(
    ({ type }) => type !== 'tree',
  );
  return [...removals, ...inTree.map((entry) => `${entry.mode} ${entry.sha}\t${path}/${entry.path}`)];
}
