import { lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runGit, type GitCall, type GitRemote, type GitResult } from './run-git.ts';

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
  /** Whether a merge commit holds just what git makes of its two parents by itself. */
  isPlainMerge(commit: string): Promise<boolean>;
  /** Conflict markers in the index that none of these commits has, as `path:line`. */
  markers(commits: string[]): Promise<string[]>;
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
const fileBytesMax = 5 * 1024 * 1024;

/** Evidence and the like: never committed, and never cleaned away. */
const ourFolder = '.service';

/** A pattern can be made to take for ever. */
const searchTimeoutMs = 20_000;

export type CheckoutOptions = { folder: string; remote: () => Promise<GitRemote>; signal?: AbortSignal | undefined };

/** A clone under `folder`, made when it is not there; it may be deleted at any time between two uses. */
export async function openCheckout({ folder, remote, signal }: CheckoutOptions): Promise<Checkout> {
  const gitDir = join(folder, 'git');
  const tree = join(folder, 'tree');
  await prepareFolders(gitDir, tree, signal);
  const call: GitCall = { gitDir, workTree: tree, signal };
  const run: RunGit = async (args, more = {}) => await runGit(args, { ...call, ...more });
  const git: Git = async (args, more = {}) => (await run(args, more)).output.toString();
  return { tree, gitDir, ...exchange(git, remote), ...changes(tree, run, git), ...readings(run, git) };
}

type RunGit = (args: string[], more?: GitCall) => Promise<GitResult>;
type Git = (args: string[], more?: GitCall) => Promise<string>;
/** A diff as it is, by no program that a repository could name. */
const plainDiff = ['--no-ext-diff', '--no-textconv'];

/** What goes to and comes from the code host. */
function exchange(
  git: Git,
  remote: CheckoutOptions['remote'],
): Pick<Checkout, 'remoteTips' | 'fetch' | 'push' | 'unpush'> {
  return {
    async remoteTips(refs) {
      const there = await remote();
      const lines = (await git(['ls-remote', '--', there.url, ...refs], { remote: there })).split('\n').filter(Boolean);
      const tips = lines.map((line) => line.split('\t'));
      return Object.fromEntries<string>(
        tips
          .filter(([, ref = '']) => refs.includes(ref))
          .map(([commit = '', ref = '']): [string, string] => [ref, commit]),
      );
    },
    async fetch(commits) {
      const there = await remote();
      const options = ['--quiet', '--no-tags', '--no-write-fetch-head'];
      await git(['fetch', ...options, '--', there.url, ...commits], { remote: there });
    },
    async push(commit, ref, expected) {
      const there = await remote();
      const lease = `--force-with-lease=${ref}:${expected ?? ''}`;
      const args = ['push', '--porcelain', lease, '--', there.url, `${commit}:${ref}`];
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
  };
}

function changes(
  tree: string,
  run: RunGit,
  git: Git,
): Pick<Checkout, 'reset' | 'stage' | 'apply' | 'commit' | 'merge'> {
  return {
    async reset(commit) {
      await removeNestedGitFolders(tree);
      await git(['update-ref', '--no-deref', 'HEAD', commit]);
      await git(['reset', '--quiet', '--hard', commit, '--']);
      await git(['clean', '--quiet', '-ffd', `--exclude=/${ourFolder}/`]);
    },
    async stage() {
      await removeNestedGitFolders(tree);
      const { paths, leftOut } = await committable(tree, run);
      const fromInput = ['--pathspec-from-file=-', '--pathspec-file-nul'];
      if (paths.length > 0) await git(['add', '--all', ...fromInput], { input: joined(paths) });
      const { output } = await run(['diff', '--cached', '--binary', ...plainDiff, 'HEAD', '--']);
      return { patch: output.length > 0 ? output : undefined, leftOut };
    },
    async apply(patch) {
      const args = ['apply', '--3way', '--index', '--whitespace=nowarn'];
      return (await run(args, { input: patch, alsoFine: [1, 128] })).status === 0;
    },
    async commit({ message, parents, at }) {
      const content = (await git(['write-tree'])).trim();
      const parentArgs = parents.flatMap((parent) => ['-p', parent]);
      return (await git(['commit-tree', content, ...parentArgs, '-F', '-'], { input: message, at })).trim();
    },
    async merge(commit, label) {
      const ref = `refs/heads/${label}`;
      await git(['update-ref', ref, commit]);
      await git(['merge', '--quiet', '--no-commit', '--no-ff', '--no-verify', ref], { alsoFine: [1] });
      const files = (await git(['diff', '--name-only', '-z', '--diff-filter=U', '--'])).split('\0').filter(Boolean);
      await git(['add', '--update', '.']);
      return files;
    },
  };
}

function readings(
  run: RunGit,
  git: Git,
): Pick<Checkout, 'isAncestor' | 'isPlainMerge' | 'markers' | 'trailers' | 'parents' | 'files' | 'search' | 'diff'> {
  return {
    async isAncestor(ancestor, descendant) {
      return (await run(['merge-base', '--is-ancestor', ancestor, descendant], { alsoFine: [1] })).status === 0;
    },
    async isPlainMerge(commit) {
      const parents = [`${commit}^1`, `${commit}^2`];
      const { status, output } = await run(['merge-tree', '--write-tree', '--no-messages', ...parents], {
        alsoFine: [1],
      });
      return status === 0 && output.toString().trim() === (await git(['rev-parse', `${commit}^{tree}`])).trim();
    },
    async markers(commits) {
      const args = ['diff', '--cached', '--check', ...plainDiff, '--no-renames'];
      const found = await Promise.all(
        commits.map(async (commit) => (await git([...args, commit, '--'], { alsoFine: [2] })).split('\n')),
      );
      const places = found.map((lines) =>
        lines.flatMap((line) => /^(.+:\d+): leftover conflict marker$/.exec(line)?.[1] ?? []),
      );
      const [first = [], ...others] = places;
      return first.filter((place) => others.every((other) => other.includes(place)));
    },
    async trailers(key, base, head) {
      const format = `--format=%(trailers:key=${key},valueonly,separator=%x0A)`;
      return (await git(['log', format, head, `^${base}`, '--'])).split('\n').filter(Boolean);
    },
    async parents(commit) {
      return (await git(['log', '-1', '--format=%P', commit, '--'])).trim().split(' ').filter(Boolean);
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
      const [summary, patch] = await Promise.all([
        git(['diff', ...plainDiff, '--stat=120', range, '--']),
        git(['diff', ...plainDiff, range, '--']),
      ]);
      return { summary, patch };
    },
  };
}

async function prepareFolders(gitDir: string, tree: string, signal: AbortSignal | undefined): Promise<void> {
  // What runs in there may make programs that run as us: nobody else of this host gets to them.
  await mkdir(dirname(tree), { recursive: true, mode: 0o700 });
  await mkdir(tree, { recursive: true });
  // A git that was killed leaves its lock; nobody else works in this folder.
  await rm(join(gitDir, 'index.lock'), { force: true });
  const ready = join(gitDir, 'ready');
  if (await lstat(ready).catch(() => undefined)) return;
  await rm(gitDir, { recursive: true, force: true });
  await runGit(['init', '--quiet', '--bare', '--template=', gitDir], { signal });
  await runGit(['config', '--file', join(gitDir, 'config'), 'core.bare', 'false'], { signal });
  await mkdir(join(gitDir, 'info'), { recursive: true });
  await writeFile(join(gitDir, 'info', 'exclude'), `/${ourFolder}/\n`);
  await writeFile(ready, '');
}

/** Git would run what the settings of a repository inside the work tree name, such as its fsmonitor. */
async function removeNestedGitFolders(tree: string): Promise<void> {
  const entries = await readdir(tree, { recursive: true, withFileTypes: true });
  const nested = entries.filter((entry) => entry.name.toLowerCase() === '.git');
  for (const entry of nested) await rm(join(entry.parentPath, entry.name), { recursive: true, force: true });
}

type Committable = { paths: Buffer[]; leftOut: string[] };

/** The changes that are taken into a commit; names are bytes, since they need not be text. */
async function committable(tree: string, run: RunGit): Promise<Committable> {
  const args = ['ls-files', '-z', '--others', '--modified', '--deleted', '--exclude-standard'];
  const found: Committable = { paths: [], leftOut: [] };
  // Latin-1 gives back the bytes that it was given.
  const names = new Set((await run(args)).output.toString('latin1').split('\0').filter(Boolean));
  for (const name of names) {
    // Excluding it is not enough: what a repository un-ignores or tracks itself comes first.
    if (name === ourFolder || name.startsWith(`${ourFolder}/`)) continue;
    const path = Buffer.from(name, 'latin1');
    const stats = await lstat(Buffer.concat([Buffer.from(`${tree}/`), path])).catch(() => undefined);
    const fits = !stats || stats.isSymbolicLink() || (stats.isFile() && stats.size <= fileBytesMax);
    if (fits) found.paths.push(path);
    else found.leftOut.push(path.toString());
  }
  return found;
}

const joined = (paths: Buffer[]): Buffer => Buffer.concat(paths.flatMap((path) => [path, Buffer.from('\0')]));
