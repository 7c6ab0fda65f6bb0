import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ignoreArchiveAttributes } from '../../emulators/cluster/fetch-commit.ts';
import { planFiles, planViolation } from '../../emulators/cluster/plan-build.ts';
import { runGit } from './run-git.ts';

const run = promisify(execFile);

/** Returns why the builder cannot build a commit of a copy of the repo, as far as its manifests tell. */
export async function findBuildViolation(gitDir: string, commit: string): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'demo-plan-'));
  const git = async (...args: string[]): Promise<string> => (await runGit(['--git-dir', gitDir, ...args])).stdout;
  try {
    const names = (await git('ls-tree', '--name-only', commit, '--', ...planFiles)).split('\n').filter(Boolean);
    if (names.length > 0) {
      await ignoreArchiveAttributes(gitDir);
      await git('archive', '--format=tar', `--output=${join(folder, 'plan.tar')}`, commit, ...names);
      await run('tar', ['--extract', '--file', join(folder, 'plan.tar'), '--directory', folder]);
    }
    return await planViolation(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
