import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

async function git(root: string, ...args: string[]): Promise<string[]> {
  const { stdout } = await execute('git', args, { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  return stdout.split('\0').filter((line) => line !== '');
}

/** Copies the project as it is now, so that no fault ever stands in the working tree of a person. */
export async function copyProject(root: string): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'mutation-'));
  const files = await git(root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard');
  for (const file of files) {
    await mkdir(dirname(join(copy, file)), { recursive: true });
    await cp(join(root, file), join(copy, file), { verbatimSymlinks: true }).catch((error: NodeJS.ErrnoException) => {
      // A file that was deleted and not yet committed is still listed.
      if (error.code !== 'ENOENT') throw error;
    });
  }
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** Lists the files that differ from the commit at which this branch left `main`. */
export async function listChanged(root: string): Promise<string[]> {
  const [base = 'HEAD'] = (await git(root, 'merge-base', 'HEAD', 'main').catch(() => ['HEAD'])).map((line) =>
    line.trim(),
  );
  const changed = await git(root, 'diff', '-z', '--name-only', base);
  return [...changed, ...(await git(root, 'ls-files', '-z', '--others', '--exclude-standard'))];
}
