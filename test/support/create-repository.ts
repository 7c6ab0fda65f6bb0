import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runGit } from './run-git.ts';

/** Writes files to a repository, which is created when it does not exist, and commits them. */
export async function commitFiles(folder: string, files: Record<string, string>): Promise<string> {
  await mkdir(folder, { recursive: true });
  await runGit(folder, 'init', '--quiet', '--initial-branch', 'trunk');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await runGit(folder, 'add', '--all');
  await runGit(folder, 'commit', '--quiet', '--message', 'Add files');
  return await runGit(folder, 'rev-parse', 'HEAD');
}
