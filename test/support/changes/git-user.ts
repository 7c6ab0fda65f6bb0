import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runGit } from '../run-git.ts';

/** Creates a folder with the initial files of a repo. */
export async function createSeedFolder(folder: string, files: Record<string, string>): Promise<string> {
  const source = await mkdtemp(join(folder, 'source-'));
  await writeFiles(source, { 'README.md': 'An app\n', ...files });
  return source;
}

async function writeFiles(folder: string, files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

/** Creates a person with a clone, who pushes on top of the current branch. */
export async function createGitUser(
  folder: string,
  { url, userToken }: { url: string; userToken: string },
  repo: string,
) {
  const clone = await mkdtemp(join(folder, 'person-'));
  const identity = ['-c', 'user.name=Eve', '-c', 'user.email=eve@example.com', '-c', 'merge.renames=true'];
  const git = async (...args: string[]): Promise<string> => await runGit(clone, ...identity, ...args);
  await git('clone', '--quiet', `${url.replace('://', `://owner:${userToken}@`)}/${repo}.git`, '.');
  const checkout = async (branch: string, from = 'main'): Promise<void> => {
    await git('fetch', '--quiet', '--prune', 'origin');
    const start = (await git('branch', '--remotes', '--list', `origin/${branch}`)) ? branch : from;
    await git('checkout', '--quiet', '--force', '-B', branch, `origin/${start}`);
  };
  const pushed: { branch: string; commit: string }[] = [];
  const push = async (branch: string): Promise<string> => {
    await git('push', '--quiet', 'origin', branch);
    const commit = await git('rev-parse', 'HEAD');
    pushed.push({ branch, commit });
    return commit;
  };
  return {
    git,
    pushed,
    /** Commits the given files to a branch, which is created when it does not exist. */
    commit: async (branch: string, files: Record<string, string>, from?: string): Promise<string> => {
      await checkout(branch, from);
      await writeFiles(clone, files);
      await git('add', '--all');
      await git('commit', '--quiet', '-m', `Change ${Object.keys(files).join(', ')}`);
      return await push(branch);
    },
    /** Merges main into a branch and resolves it with the given files. */
    mergeMain: async (branch: string, files: Record<string, string> = {}): Promise<string> => {
      await checkout(branch);
      await git('merge', '--quiet', '--no-commit', '--no-ff', 'origin/main').catch(() => undefined);
      await writeFiles(clone, files);
      await git('add', '--all');
      await git('commit', '--quiet', '-m', 'Merge main');
      return await push(branch);
    },
    fetch: async (): Promise<void> => void (await git('fetch', '--quiet', '--prune', 'origin')),
  };
}
