import { lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runGit, type GitCall, type GitRemote } from './run-git.ts';

export type Checkout = {
  /** The files; its own git folder is not among them, so nothing that runs here can change how our git behaves. */
  readonly tree: string;
  readonly gitDir: string;
  /** What these refs point at on the code host now; refs that do not exist are left out. */
  remoteTips(refs: string[]): Promise<Record<string, string>>;
  fetch(commits: string[]): Promise<void>;
  /** The files of that commit and no others (ignored ones stay: installed packages are worth keeping). */
  reset(commit: string): Promise<void>;
  /** Takes all changes into the index; answers the patch against the last reset, or nothing when there is none. */
  stage(): Promise<{ patch: Uint8Array | undefined; leftOut: string[] }>;
  /** False when the patch does not fit what is there now. */
  apply(patch: Uint8Array): Promise<boolean>;
  /** Commits the index; the same index, parents, message and time give the same commit. */
  commit(commit: { message: string; parents: string[]; at: string }): Promise<string>;
  /** `moved` when the ref was not at `expected` (undefined: does not exist) any more. */
  push(commit: string, ref: string, expected: string | undefined): Promise<'pushed' | 'moved'>;
  /** Removes a ref; one that is gone or has moved stays as it is. */
  unpush(ref: string, expected: string): Promise<void>;
  /** Merges into the work tree and index without committing; answers the files that conflict, markers in them. */
  merge(commit: string, label: string): Promise<string[]>;
  isAncestor(ancestor: string, descendant: string): Promise<boolean>;
  /** Values of that trailer in the commits of `head` that `base` has not, newest first. */
  trailers(key: string, base: string, head: string): Promise<string[]>;
  parents(commit: string): Promise<string[]>;
  /** Paths that are not ignored. */
  files(path: string | undefined): Promise<string[]>;
  /** Lines that match, as `path:line:text`. */
  search(pattern: string, path: string | undefined): Promise<string>;
  /** What `head` adds since it left `base`. */
  diff(base: string, head: string): Promise<{ summary: string; patch: string }>;
};

/** A committed file larger than this is a build result or a mistake; code hosts refuse such files anyway. */
export const fileBytesMax = 5 * 1024 * 1024;

/** A pattern can be made to take for ever. */
const searchTimeoutMs = 20_000;

export type CheckoutOptions = { folder: string; remote: () => Promise<GitRemote>; signal?: AbortSignal | undefined };

/** A clone under `folder`, made when it is not there; it may be deleted at any time between two uses. */
export async function openCheckout({ folder, remote, signal }: CheckoutOptions): Promise<Checkout> {
  const gitDir = join(folder, 'git');
  const tree = join(folder, 'tree');
  const git = async (args: string[], call: GitCall = {}): Promise<string> =>
    (await runGit(args, { gitDir, workTree: tree, signal, ...call })).output.toString();
  const status = async (args: string[]): Promise<number> =>
    (await runGit(args, { gitDir, workTree: tree, signal, alsoFine: [1] })).status;

  await prepareFolders(gitDir, tree, signal);

  return {
    tree,
    gitDir,
    async remoteTips(refs) {
      const there = await remote();
      const lines = await git(['ls-remote', '--', there.url, ...refs], { remote: there });
      const tips = lines
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split('\t'));
      return Object.fromEntries(
        tips.filter(([, ref = '']) => refs.includes(ref)).map(([commit, ref]) => [ref, commit]),
      );
    },
    async fetch(commits) {
      const there = await remote();
      await git(['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--', there.url, ...commits], {
        remote: there,
      });
    },
    async reset(commit) {
      await removeNestedGitFolders(tree);
      await git(['update-ref', '--no-deref', 'HEAD', commit]);
      await git(['reset', '--quiet', '--hard', commit]);
      await git(['clean', '--quiet', '-ffd']);
    },
    async stage() {
      await removeNestedGitFolders(tree);
      await git(['add', '--all', '.']);
      const leftOut = await leaveOutLargeFiles(tree, git);
      const { output } = await runGit(['diff', '--cached', '--binary', '--no-ext-diff', '--no-textconv', 'HEAD'], {
        gitDir,
        workTree: tree,
        signal,
      });
      return { patch: output.length > 0 ? output : undefined, leftOut };
    },
    async apply(patch) {
      const call = { gitDir, workTree: tree, signal, input: patch, alsoFine: [1, 128] };
      return (await runGit(['apply', '--3way', '--index', '--whitespace=nowarn'], call)).status === 0;
    },
    async commit({ message, parents, at }) {
      const content = (await git(['write-tree'])).trim();
      const parentArgs = parents.flatMap((parent) => ['-p', parent]);
      return (await git(['commit-tree', content, ...parentArgs, '-F', '-'], { input: message, at })).trim();
    },
    async push(commit, ref, expected) {
      const there = await remote();
      const args = [
        'push',
        '--porcelain',
        `--force-with-lease=${ref}:${expected ?? ''}`,
        '--',
        there.url,
        `${commit}:${ref}`,
      ];
      const said = await git(args, { remote: there, alsoFine: [1] });
      const refusal = said.split('\n').find((line) => line.startsWith('!'));
      if (!refusal) return 'pushed';
      if (/stale info|fetch first|non-fast-forward|cannot lock ref|failed to update ref/.test(refusal)) return 'moved';
      throw new Error(`The code host refused the push to ${ref}: ${refusal.slice(2)}`);
    },
    async unpush(ref, expected) {
      const there = await remote();
      const args = ['push', '--quiet', `--force-with-lease=${ref}:${expected}`, '--', there.url, `:${ref}`];
      await git(args, { remote: there, alsoFine: [1] });
    },
    async merge(commit, label) {
      await git(['update-ref', `refs/heads/${label}`, commit]);
      await runGit(['merge', '--quiet', '--no-commit', '--no-ff', '--no-verify', `refs/heads/${label}`], {
        ...{ gitDir, workTree: tree, signal, alsoFine: [1] },
      });
      const files = (await git(['diff', '--name-only', '-z', '--diff-filter=U'])).split('\0').filter(Boolean);
      await git(['add', '--all', '.']);
      return files;
    },
    async isAncestor(ancestor, descendant) {
      return (await status(['merge-base', '--is-ancestor', ancestor, descendant])) === 0;
    },
    async trailers(key, base, head) {
      const format = `--format=%(trailers:key=${key},valueonly,separator=%x0A)`;
      return (await git(['log', format, head, `^${base}`])).split('\n').filter(Boolean);
    },
    async parents(commit) {
      return (await git(['log', '-1', '--format=%P', commit])).trim().split(' ').filter(Boolean);
    },
    async files(path) {
      const listed = await git(['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', path ?? '.']);
      return [...new Set(listed.split('\0').filter(Boolean))].sort();
    },
    async search(pattern, path) {
      const args = ['grep', '--untracked', '--no-color', '-nIE', '--no-textconv', '-e', pattern, '--', path ?? '.'];
      return await git(args, { alsoFine: [1], timeoutMs: searchTimeoutMs });
    },
    async diff(base, head) {
      const range = `${base}...${head}`;
      const safe = ['--no-ext-diff', '--no-textconv'];
      const [summary, patch] = await Promise.all([
        git(['diff', ...safe, '--stat=120', range, '--']),
        git(['diff', ...safe, range, '--']),
      ]);
      return { summary, patch };
    },
  };
}

async function prepareFolders(gitDir: string, tree: string, signal: AbortSignal | undefined): Promise<void> {
  await mkdir(tree, { recursive: true });
  // A git that was killed leaves its lock; nobody else works in this folder.
  await rm(join(gitDir, 'index.lock'), { force: true });
  const ready = join(gitDir, 'ready');
  if (await lstat(ready).catch(() => undefined)) return;
  await rm(gitDir, { recursive: true, force: true });
  await runGit(['init', '--quiet', '--bare', '--template=', gitDir], { signal });
  await runGit(['config', '--file', join(gitDir, 'config'), 'core.bare', 'false'], { signal });
  await mkdir(join(gitDir, 'info'), { recursive: true });
  await writeFile(join(gitDir, 'info', 'exclude'), '/.service/\n');
  await writeFile(ready, '');
}

/** Git would run what the settings of a repository inside the work tree name, such as its fsmonitor. */
async function removeNestedGitFolders(tree: string): Promise<void> {
  const entries = await readdir(tree, { recursive: true, withFileTypes: true });
  const nested = entries.filter((entry) => entry.name.toLowerCase() === '.git');
  for (const entry of nested) await rm(join(entry.parentPath, entry.name), { recursive: true, force: true });
}

async function leaveOutLargeFiles(tree: string, git: (args: string[]) => Promise<string>): Promise<string[]> {
  const changed = (
    await git(['diff', '--cached', '--name-only', '-z', '--no-renames', '--diff-filter=d', 'HEAD'])
  ).split('\0');
  const large: string[] = [];
  for (const path of changed.filter(Boolean)) {
    const found = await lstat(join(tree, path)).catch(() => undefined);
    if (found && found.size > fileBytesMax) large.push(path);
  }
  if (large.length > 0) await git(['reset', '--quiet', 'HEAD', '--', ...large]);
  return large;
}
