import { lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { keepOwnSubmodules } from './keep-own-submodules.ts';
import { readPushResult } from './push-result.ts';
import { runGit, type Git, type GitCall, type GitRemote, type GitResult } from './run-git.ts';

export type Checkout = {
  /** The folder of the files. The git folder is outside of it, so code that runs here cannot change git's settings. */
  readonly workingTree: string;
  readonly gitDir: string;
  /** Returns the commits of these refs on the code host, without refs that do not exist. */
  resolveRemoteRefs(refs: string[]): Promise<Record<string, string>>;
  fetch(commits: string[]): Promise<void>;
  /** Resets the files to the commit. Ignored files stay, to keep installed packages. */
  reset(commit: string): Promise<void>;
  /** Adds all changes to the index. Returns the patch since the last reset, or undefined when nothing changed. */
  stage(): Promise<{ patch: Uint8Array | undefined; skipped: string[] }>;
  /** Returns false when the patch does not apply. */
  applyPatch(patch: Uint8Array): Promise<boolean>;
  /** Commits the index. Equal input gives the same commit. */
  commit(commit: { message: string; parents: string[]; commitDate: string }): Promise<string>;
  /** Returns `moved` when the ref is not at `expected`; undefined means that the ref must not exist. */
  push(commit: string, ref: string, expected: string | undefined): Promise<'pushed' | 'moved'>;
  /** Deletes a ref that is at `expected`; otherwise does nothing. */
  deleteRemoteRef(ref: string, expected: string): Promise<void>;
  /** Merges into the working tree and index without a commit. Returns the files with conflict markers. */
  merge(commit: string, label: string): Promise<string[]>;
  isAncestor(ancestor: string, descendant: string): Promise<boolean>;
  /** Returns whether a commit is an ancestor of both, without which git merges nothing. */
  haveCommonHistory(one: string, other: string): Promise<boolean>;
  /** Returns whether a merge commit equals git's own merge of its two parents. */
  isCleanMerge(commit: string): Promise<boolean>;
  /** Lists conflict markers in the index that none of these commits contains, as `path:line`. */
  listConflictMarkers(commits: string[]): Promise<string[]>;
  /** Lists the values of a trailer in the commits of `head` that are not in `base`, newest first. */
  listTrailers(key: string, base: string, head: string): Promise<string[]>;
  /** Lists the commits of `head` that are not in `base`, if there is one, with that trailer, newest first, without merged branches. */
  listCommits(trailerKey: string, base: string | undefined, head: string): Promise<{ sha: string; trailer: string }[]>;
  listParents(commit: string): Promise<string[]>;
  /** Lists the paths that are not ignored. */
  listFiles(path: string | undefined): Promise<string[]>;
  /** Returns matching lines as `path:line:text`. */
  searchFiles(pattern: string, path: string | undefined): Promise<string>;
  /** Compares `head` with its merge base with `base`. */
  diff(base: string, head: string): Promise<{ summary: string; patch: string }>;
};

/** A larger file is a build result or a mistake, and code hosts reject very large files. */
const fileBytesMax = 5 * 1024 * 1024;

/** Files of this service, such as evidence: they are never committed and never cleaned. */
const serviceFolder = '.service';

/** A pattern can be crafted to run without end. */
const searchTimeoutMs = 20_000;

export type CheckoutOptions = {
  folder: string;
  /** A push that changes the files which the code host runs as CI needs a permission of its own. */
  getRemote: (use: { changesCiFiles: boolean }) => Promise<GitRemote>;
  signal?: AbortSignal | undefined;
};

/**
 * Keeps every file as its commit has it. A file that the attributes of its repository would convert, such as one with CRLF
 * under `text`, counts as changed right after its checkout: git refuses to merge it, and every turn would commit it.
 */
const plainAttributes = '* -text -ident !working-tree-encoding\n';

const ciFolder = '.github/workflows';

/** Opens a clone under `folder`, and creates it when it is missing. The folder may be deleted between two uses. */
export async function openCheckout({ folder, getRemote, signal }: CheckoutOptions): Promise<Checkout> {
  const gitDir = join(folder, 'git');
  const tree = join(folder, 'tree');
  await prepareFolders(gitDir, tree, signal);
  const call: GitCall = { gitDir, workTree: tree, signal };
  const run: RunGit = async (args, more = {}) => await runGit(args, { ...call, ...more });
  const git: Git = async (args, more = {}) => (await run(args, more)).output.toString();
  return {
    workingTree: tree,
    gitDir,
    ...remoteOperations(run, git, getRemote),
    ...writeOperations(tree, run, git),
    ...readOperations(run, git),
  };
}

type RunGit = (args: string[], more?: GitCall) => Promise<GitResult>;
/** Keeps a repository's settings from choosing the program that shows diffs. */
const plainDiffOptions = ['--no-ext-diff', '--no-textconv'];

function remoteOperations(
  run: RunGit,
  git: Git,
  getRemote: CheckoutOptions['getRemote'],
): Pick<Checkout, 'resolveRemoteRefs' | 'fetch' | 'push' | 'deleteRemoteRef'> {
  return {
    async resolveRemoteRefs(refs) {
      const remote = await getRemote({ changesCiFiles: false });
      const lines = (await git(['ls-remote', '--', remote.url, ...refs], { remote })).split('\n');
      const tips = lines.map((line) => line.split('\t'));
      return Object.fromEntries<string>(
        tips
          .filter(([, ref = '']) => refs.includes(ref))
          .map(([commit = '', ref = '']): [string, string] => [ref, commit]),
      );
    },
    async fetch(commits) {
      const remote = await getRemote({ changesCiFiles: false });
      const options = ['--quiet', '--no-tags', '--no-write-fetch-head'];
      await git(['fetch', ...options, '--', remote.url, ...commits], { remote });
    },
    async push(commit, ref, expected) {
      const remote = await getRemote({ changesCiFiles: await changesCiFiles(git, commit) });
      const lease = `--force-with-lease=${ref}:${expected ?? ''}`;
      const args = ['push', '--porcelain', lease, '--', remote.url, `${commit}:${ref}`];
      return readPushResult(ref, await run(args, { remote, allowedStatuses: [1] }));
    },
    async deleteRemoteRef(ref, expected) {
      const remote = await getRemote({ changesCiFiles: false });
      const args = ['push', '--quiet', `--force-with-lease=${ref}:${expected}`, '--', remote.url, `:${ref}`];
      await git(args, { remote, allowedStatuses: [1] });
    },
  };
}

/** Compares a commit with each of its parents, which are on the code host already. */
async function changesCiFiles(git: Git, commit: string): Promise<boolean> {
  const args = ['diff-tree', '-r', '-m', '--root', '--no-commit-id', '--name-only', commit, '--', ciFolder];
  return (await git(args)) !== '';
}

function writeOperations(
  tree: string,
  run: RunGit,
  git: Git,
): Pick<Checkout, 'reset' | 'stage' | 'applyPatch' | 'commit' | 'merge'> {
  return {
    async reset(commit) {
      await removeNestedGitFolders(tree);
      await git(['update-ref', '--no-deref', 'HEAD', commit]);
      await git(['reset', '--quiet', '--hard', commit, '--']);
      await git(['clean', '--quiet', '-ffd', `--exclude=/${serviceFolder}/`]);
    },
    async stage() {
      await removeNestedGitFolders(tree);
      const { paths, skipped } = await listCommittable(tree, run);
      const fromInput = ['--pathspec-from-file=-', '--pathspec-file-nul'];
      if (paths.length > 0) await git(['add', '--all', ...fromInput], { input: toNulSeparated(paths) });
      const { output } = await run(['diff', '--cached', '--binary', ...plainDiffOptions, 'HEAD', '--']);
      return { patch: output.length > 0 ? output : undefined, skipped };
    },
    async applyPatch(patch) {
      const args = ['apply', '--3way', '--index', '--whitespace=nowarn'];
      return (await run(args, { input: patch, allowedStatuses: [1, 128] })).status === 0;
    },
    async commit({ message, parents, commitDate }) {
      const content = (await git(['write-tree'])).trim();
      const parentArgs = parents.flatMap((parent) => ['-p', parent]);
      return (await git(['commit-tree', content, ...parentArgs, '-F', '-'], { input: message, commitDate })).trim();
    },
    async merge(commit, label) {
      const ref = `refs/heads/${label}`;
      await git(['update-ref', ref, commit]);
      await git(['merge', '--quiet', '--no-commit', '--no-ff', '--no-verify', ref], { allowedStatuses: [1] });
      const files = (await git(['diff', '--name-only', '-z', '--diff-filter=U', '--'])).split('\0').filter(Boolean);
      await keepOwnSubmodules(git);
      await git(['add', '--update', '.']);
      return files;
    },
  };
}

function readOperations(
  run: RunGit,
  git: Git,
): Pick<
  Checkout,
  | 'isAncestor'
  | 'haveCommonHistory'
  | 'isCleanMerge'
  | 'listConflictMarkers'
  | 'listTrailers'
  | 'listCommits'
  | 'listParents'
  | 'listFiles'
  | 'searchFiles'
  | 'diff'
> {
  return {
    async isAncestor(ancestor, descendant) {
      return (await run(['merge-base', '--is-ancestor', ancestor, descendant], { allowedStatuses: [1] })).status === 0;
    },
    async haveCommonHistory(one, other) {
      return (await run(['merge-base', one, other], { allowedStatuses: [1] })).status === 0;
    },
    async isCleanMerge(commit) {
      const parents = [`${commit}^1`, `${commit}^2`];
      const { status, output } = await run(['merge-tree', '--write-tree', '--no-messages', ...parents], {
        allowedStatuses: [1],
      });
      return status === 0 && output.toString().trim() === (await git(['rev-parse', `${commit}^{tree}`])).trim();
    },
    async listConflictMarkers(commits) {
      const args = ['diff', '--cached', '--check', ...plainDiffOptions, '--no-renames'];
      const found = await Promise.all(
        commits.map(async (commit) => (await git([...args, commit, '--'], { allowedStatuses: [2] })).split('\n')),
      );
      const places = found.map((lines) =>
        lines.flatMap((line) => /^(.+:\d+): leftover conflict marker$/.exec(line)?.[1] ?? []),
      );
      const [first = [], ...others] = places;
      return first.filter((place) => others.every((other) => other.includes(place)));
    },
    async listTrailers(key, base, head) {
      const format = `--format=%(trailers:key=${key},valueonly,separator=%x0A)`;
      return (await git(['log', format, head, `^${base}`, '--'])).split('\n').filter(Boolean);
    },
    async listCommits(trailerKey, base, head) {
      const format = `--format=%H %(trailers:key=${trailerKey},valueonly,separator=%x20)`;
      const range = [head, ...(base === undefined ? [] : [`^${base}`])];
      const lines = (await git(['log', '--first-parent', format, ...range, '--'])).split('\n').filter(Boolean);
      return lines.map((line) => ({ sha: line.slice(0, 40), trailer: line.slice(41) }));
    },
    async listParents(commit) {
      return (await git(['log', '-1', '--format=%P', commit, '--'])).trim().split(' ').filter(Boolean);
    },
    async listFiles(path) {
      const listed = await git(['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', path ?? '.']);
      return [...new Set(listed.split('\0').filter(Boolean))].sort();
    },
    async searchFiles(pattern, path) {
      const args = ['grep', '--untracked', '--no-color', '-nIE', '--no-textconv', '-e', pattern, '--', path ?? '.'];
      return await git(args, { allowedStatuses: [1], timeoutMs: searchTimeoutMs });
    },
    async diff(base, head) {
      const range = `${base}...${head}`;
      const [summary, patch] = await Promise.all([
        git(['diff', ...plainDiffOptions, '--stat=120', range, '--']),
        git(['diff', ...plainDiffOptions, range, '--']),
      ]);
      return { summary, patch };
    },
  };
}

async function prepareFolders(gitDir: string, tree: string, signal: AbortSignal | undefined): Promise<void> {
  // Code in the folder may create programs with this user's rights, so other users of the host must not enter it.
  await mkdir(dirname(tree), { recursive: true, mode: 0o700 });
  await mkdir(tree, { recursive: true });
  // A killed git process leaves its lock, and no other process uses this folder.
  await rm(join(gitDir, 'index.lock'), { force: true });
  const ready = join(gitDir, 'ready');
  if (await lstat(ready).catch(() => undefined)) return;
  await rm(gitDir, { recursive: true, force: true });
  await runGit(['init', '--quiet', '--bare', '--template=', gitDir], { signal });
  await runGit(['config', '--file', join(gitDir, 'config'), 'core.bare', 'false'], { signal });
  await mkdir(join(gitDir, 'info'), { recursive: true });
  await writeFile(join(gitDir, 'info', 'exclude'), `/${serviceFolder}/\n`);
  await writeFile(join(gitDir, 'info', 'attributes'), plainAttributes);
  await writeFile(ready, '');
}

/** Git would run programs from the settings of a nested repository, such as its fsmonitor. Names are bytes here too. */
async function removeNestedGitFolders(tree: string): Promise<void> {
  const folders = [Buffer.from(tree)];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true, encoding: 'buffer' })) {
      const path = Buffer.concat([folder, Buffer.from('/'), entry.name]);
      if (entry.name.toString('latin1').toLowerCase() === '.git') await rm(path, { recursive: true, force: true });
      else if (entry.isDirectory()) folders.push(path);
    }
  }
}

type Committable = { paths: Buffer[]; skipped: string[] };

/** Lists the changes that may be committed. Names are bytes, because they need not be valid text. */
async function listCommittable(tree: string, run: RunGit): Promise<Committable> {
  const args = ['ls-files', '-z', '--others', '--modified', '--deleted', '--exclude-standard'];
  const result: Committable = { paths: [], skipped: [] };
  // Latin-1 keeps every byte of a name.
  const names = new Set((await run(args)).output.toString('latin1').split('\0').filter(Boolean));
  for (const name of names) {
    // The exclude file is not enough, because a repository can track the folder or un-ignore it.
    if (name === serviceFolder || name.startsWith(`${serviceFolder}/`)) continue;
    const path = Buffer.from(name, 'latin1');
    const stats = await lstat(Buffer.concat([Buffer.from(`${tree}/`), path])).catch(() => undefined);
    const fits = !stats || stats.isSymbolicLink() || (stats.isFile() && stats.size <= fileBytesMax);
    if (fits) result.paths.push(path);
    else result.skipped.push(path.toString());
  }
  return result;
}

const toNulSeparated = (paths: Buffer[]): Buffer => Buffer.concat(paths.flatMap((path) => [path, Buffer.from('\0')]));
