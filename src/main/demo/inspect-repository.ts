import { realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type GitResult, runGit } from './run-git.ts';

/** `source` identifies the repository: a URL without credentials, or the path without links. */
export type Repository = { location: string; source: string; notes: string[] };

/**
 * Checks that a repository can be copied; a path is relative to the folder. Throws with the fix when it cannot; the notes
 * say what will be missing.
 */
export async function inspectRepository(repo: string, folder = '.'): Promise<Repository> {
  if (repo.trim() === '') throw new Error('--repo is empty: pass the path or the URL of a git repository.');
  const path = resolve(folder, repo);
  const found = await stat(path).catch(() => undefined);
  if (!found && isUrl(repo)) return { location: repo, source: hideCredentials(repo), notes: [] };
  if (!found) throw new Error(`The repository ${repo} does not exist. Pass the path or the URL of a git repository.`);
  const location = await realpath(path);
  const questions = ['--is-shallow-repository', '--is-bare-repository', '--show-cdup'];
  const opened = await runGit(['-C', location, 'rev-parse', ...questions]);
  if (!opened.ok) throw new Error(explainOpenFailure(repo, location, opened));
  const [isShallow, isBare, wayUp = ''] = opened.stdout.split('\n');
  // git finds the repository from any of its folders, but copies it from its root only.
  if (wayUp !== '')
    throw new Error(
      `${repo} is a folder of the repository ${join(location, wayUp, '.')}. Pass that path, because a Product is built from the root of its repo.`,
    );
  await assertHasCommit(['-C', location], repo);
  if (isShallow === 'true')
    throw new Error(
      `The repository ${repo} is a shallow clone, which cannot be pushed. Run "git -C ${repo} fetch --unshallow", then try again.`,
    );
  const changed = isBare === 'true' ? '' : (await runGit(['-C', location, 'status', '--porcelain'])).stdout;
  const notes = changed ? [`${repo} has uncommitted changes: the demo works with its last commit.`] : [];
  return { location, source: location, notes };
}

/** Throws when the branch that git would copy has no commit. */
export async function assertHasCommit(location: string[], repo: string): Promise<void> {
  const git = async (...args: string[]) => await runGit([...location, ...args]);
  if ((await git('rev-parse', '--verify', '--quiet', 'HEAD^{commit}')).ok) return;
  const { stdout: other } = await git('for-each-ref', '--count=1', '--format=%(refname:short)', 'refs/heads');
  if (other === '') throw new Error(`The repository ${repo} has no commit. Commit its files, then try again.`);
  const { stdout: branch } = await git('symbolic-ref', '--short', 'HEAD');
  throw new Error(
    `The default branch "${branch}" of the repository ${repo} has no commit, and "${other}" has. Make that the default branch, then try again.`,
  );
}

const isUrl = (repo: string): boolean => /^[a-z][a-z+]*:\/\//i.test(repo) || /^[\w.-]+@[\w.-]+:/.test(repo);

export const hideCredentials = (text: string): string => text.replaceAll(/(\w:\/\/)[^/\s]+@/g, '$1');

function explainOpenFailure(repo: string, location: string, { stderr }: GitResult): string {
  if (/dubious ownership/.test(stderr))
    return `The repository ${repo} belongs to another user, so git does not read it. Run the demo as its owner, or run "git config --global --add safe.directory ${location}".`;
  if (/not a git repository/.test(stderr))
    return `${repo} is not a git repository. Run "git init" in it and commit its files, then try again.`;
  return `The repository ${repo} cannot be read: ${lastFatalLine(stderr)}`;
}

/** Returns a sentence with the fix for a clone that failed. */
export function explainCloneFailure({ source }: Repository, { stderr }: GitResult): string {
  const subject = `The repository ${source} cannot be cloned`;
  if (/could not resolve host|(could not|couldn.t|failed to) connect|connection refused|timed out/i.test(stderr))
    return `${subject}: its server cannot be reached. Check the URL and the network.`;
  if (/authentication failed|could not read (username|password)|permission denied|403/i.test(stderr))
    return `${subject}: its server rejected the credentials. Clone it yourself, and pass the path of the clone.`;
  if (/not found|does not exist|does not appear to be a git repository/i.test(stderr))
    return `${subject}: it does not exist, or it is private. Check the URL, or pass the path of your own clone.`;
  return `${subject}: ${lastFatalLine(stderr)}`;
}

export function lastFatalLine(stderr: string): string {
  const lines = hideCredentials(stderr)
    .trim()
    .split(/[\r\n]+/);
  return (lines.findLast((line) => /^(fatal|error|remote):|rejected/.test(line)) ?? lines.at(-1) ?? '').trim();
}
